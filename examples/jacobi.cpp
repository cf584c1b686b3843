// SPDX-License-Identifier: Apache-2.0
// Heat in a cube cut into blocks: each cell becomes the mean of its six neighbours, until nothing changes
// much. Each block is a chare, one of many: while some wait for their neighbours' faces, others compute.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "arguments.hpp"

// n x n x n cells and one layer round them.
struct cube {
  int n = 0;
  std::vector<double> cells;
  std::size_t place(int x, int y, int z) const {
    return static_cast<std::size_t>(((x + 1) * (n + 2) + y + 1) * (n + 2) + z + 1);
  }
  double at(int x, int y, int z) const { return cells[place(x, y, z)]; }
  // The places of the cells behind a side: depth 0 is the layer outside.
  std::vector<std::size_t> plane(imbrex::side<3> side, int depth) const {
    const int at = side.is_upper() ? n - depth : depth - 1;
    const int d = side.dimension();
    std::vector<std::size_t> places;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        places.push_back(d == 0 ? place(at, a, b) : d == 1 ? place(a, at, b) : place(a, b, at));
    return places;
  }
};

// All at 0 but the layer outside of side 0, where it is hot.
cube make_cube(int n, bool hot) {
  cube c{n, std::vector<double>(static_cast<std::size_t>((n + 2) * (n + 2) * (n + 2)))};
  for (const auto i : c.plane(imbrex::side<3>(0), 0)) c.cells[i] = hot ? 1 : 0;
  return c;
}

// One step. Returns the largest change of a cell.
double relax(cube& now, cube& next) {
  const auto& c = now.cells;
  const auto row = static_cast<std::size_t>(now.n + 2);
  double change = 0;
  for (int x = 0; x < now.n; ++x)
    for (int y = 0; y < now.n; ++y)
      for (std::size_t i = now.place(x, y, 0); i < now.place(x, y, now.n); ++i) {
        next.cells[i] =
            (c[i - row * row] + c[i + row * row] + c[i - row] + c[i + row] + c[i - 1] + c[i + 1]) / 6;
        change = std::fmax(change, std::fabs(next.cells[i] - c[i]));
      }
  std::swap(now, next);
  return change;
}

struct face {
  imbrex::side<3> side{};  // of the block that gets it
  std::vector<double> cells{};
};

class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  imbrex::mailbox<face> halo;

  explicit block(int n) : now_(make_cube(n, where()[0] == 0)), next_(now_) {}

  imbrex::task<int> run(double tolerance) {
    int iteration = 0;
    for (double change = tolerance; change >= tolerance; ++iteration) {
      const imbrex::neighbours all(where(), peers().shape());
      for (const auto& [neighbour, side] : all) {
        face f{opposite(side)};
        for (const auto i : now_.plane(side, 1)) f.cells.push_back(now_.cells[i]);
        imbrex::send<&block::halo>(peers()[neighbour], iteration, std::move(f));
      }
      for (int n = 0; n < all.size(); ++n) {
        const face f = co_await halo.receive(iteration);
        auto cell = f.cells.begin();
        for (const auto i : now_.plane(f.side, 0)) now_.cells[i] = *cell++;
      }
      change = co_await all_reduce(relax(now_, next_), imbrex::max);
    }
    co_return iteration;
  }

  bool equals(const cube& whole) const {
    const int n = now_.n, x0 = where()[0] * n, y0 = where()[1] * n, z0 = where()[2] * n;
    for (int x = 0; x < n; ++x)
      for (int y = 0; y < n; ++y)
        for (int z = 0; z < n; ++z)
          if (now_.at(x, y, z) != whole.at(x0 + x, y0 + y, z0 + z)) return false;
    return true;
  }

 private:
  cube now_, next_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments given(argc, argv, "jacobi [BLOCKS_A_SIDE [CELLS_A_SIDE]]");
    const int blocks = given.next("BLOCKS_A_SIDE", 4, 16);
    const int n = given.next("CELLS_A_SIDE", 6, 32);
    given.finish();

    const auto all = imbrex::make_array<block>({blocks, blocks, blocks}, n);
    const int iterations = co_await all.reduce<&block::run>(imbrex::max, 1e-3);

    // The same steps by a plain loop over the whole cube: every cell must be equal, bit for bit.
    cube now = make_cube(blocks * n, true), next = now;
    for (int i = 0; i < iterations; ++i) relax(now, next);
    const bool right = co_await all.reduce<&block::equals>(imbrex::all, now);
    std::printf("%d iterations: %s\n", iterations, right ? "equal to a plain loop" : "not as a plain loop");
    co_return right ? 0 : 1;
  });
}
