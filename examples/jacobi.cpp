// SPDX-License-Identifier: Apache-2.0
// Heat in a cube divided into blocks: each cell becomes the mean of its six neighbours, until the largest
// change is small. Each block is a chare, one of many: while some wait for their neighbours' faces, others
// compute.
#include <cmath>
#include <cstdio>

#include <imbrex/grid.hpp>

#include "arguments.hpp"

namespace grid = imbrex::grid;

using cells = grid::field<double, 3>;

// One step. Returns the largest change of a cell.
double relax(cells& u, cells& next) {
  double change = 0;
  for (const auto [x, y, z] : u.cells()) {
    const double sides = u(x - 1, y, z) + u(x + 1, y, z) + u(x, y - 1, z) + u(x, y + 1, z);
    next(x, y, z) = (sides + u(x, y, z - 1) + u(x, y, z + 1)) / 6;
    change = std::fmax(change, std::fabs(next(x, y, z) - u(x, y, z)));
  }
  swap(u, next);
  return change;
}

class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  grid::halo<cells> halo;

  explicit block(const grid::decomposition<3>& cut) : now_(cut[where()].extents) {
    halo.connect<&block::halo>(*this, cut);
    if (where()[0] == 0) now_.ghosts(imbrex::side<3>(0)).fill(1);  // the hot side
    next_ = now_;
  }

  imbrex::task<int> run(double tolerance) {
    int step = 0;
    for (double change = tolerance; change >= tolerance; ++step) {
      co_await halo.exchange(now_, step);
      change = co_await all_reduce(relax(now_, next_), imbrex::max);
    }
    co_return step;
  }

  bool equals(const cells& whole) const {
    for (const auto& i : now_.cells())
      if (now_[i] != whole[halo.cells().origin + i]) return false;
    return true;
  }

 private:
  cells now_, next_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "jacobi [BLOCKS_A_SIDE [CELLS_A_SIDE]]");
    const int blocks = command_line.next("BLOCKS_A_SIDE", 4, 16);
    const int n = command_line.next("CELLS_A_SIDE", 22, 256);
    command_line.finish();

    const grid::decomposition<3> cut({n, n, n}, {blocks, blocks, blocks});
    const auto all = imbrex::make_array<block>(cut.shape(), cut);
    const int steps = co_await all.reduce<&block::run>(imbrex::max, 1e-3);

    // The reference is a plain loop over the whole cube: every cell must be equal, bit for bit.
    cells now(cut.extents());
    now.ghosts(imbrex::side<3>(0)).fill(1);
    cells next = now;
    for (int i = 0; i < steps; ++i) relax(now, next);
    const bool right = co_await all.reduce<&block::equals>(imbrex::all, now);
    std::printf("%d iterations: %s\n", steps, right ? "equal to a plain loop" : "not as a plain loop");
    co_return right ? 0 : 1;
  });
}
