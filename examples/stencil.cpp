// SPDX-License-Identifier: Apache-2.0
// The stencil of the Parallel Research Kernels (Van der Wijngaart and Mattson, 2014): a star of radius 2 over
// a square divided into blocks. All operations are linear, so the result is known. Shows: fields and halos.
#include <cmath>
#include <cstdio>

#include <imbrex/grid.hpp>

#include "arguments.hpp"

namespace grid = imbrex::grid;

using cells = grid::field<double, 2>;

namespace {

constexpr int radius = 2;

/// The sum of the derivatives along both dimensions, by differences over 1 to `radius` cells.
double star(const cells& u, int i, int j) {
  double all = 0;
  for (int r = 1; r <= radius; ++r) {
    const double weight = 1.0 / (2.0 * r * radius);
    all += weight * (u(i + r, j) - u(i - r, j) + u(i, j + r) - u(i, j - r));
  }
  return all;
}

}  // namespace

class block : public imbrex::chare<block, imbrex::index<2>> {
 public:
  grid::halo<cells> halo;

  explicit block(const grid::decomposition<2>& cut)
      : in_(cut[where()].extents, radius), out_(cut[where()].extents, 0), whole_(cut.extents()) {
    halo.connect<&block::halo>(*this, cut);
    for (const auto [i, j] : in_.cells()) in_(i, j) = place()[0] + i + place()[1] + j;
  }

  /// The sum of the magnitudes of all cells after these steps.
  imbrex::task<double> run(int steps) {
    for (int step = 0; step < steps; ++step) {
      co_await halo.exchange(in_, step);
      for (const auto [i, j] : out_.cells())
        if (is_inside(i, j)) out_(i, j) += star(in_, i, j);
      for (const auto& i : in_.cells()) in_[i] += 1;
    }
    double sum = 0;
    for (const auto& i : out_.cells()) sum += std::fabs(out_[i]);
    co_return sum;
  }

 private:
  const imbrex::index<2>& place() const { return halo.cells().origin; }
  bool is_inside(int i, int j) const {
    const int x = place()[0] + i, y = place()[1] + j;
    return x >= radius && y >= radius && x < whole_[0] - radius && y < whole_[1] - radius;
  }

  cells in_, out_;
  imbrex::index<2> whole_;
};

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "stencil [CELLS_A_SIDE [BLOCKS_A_SIDE [STEPS]]]");
    const int n = command_line.next("CELLS_A_SIDE", 100, 10'000);
    const int blocks = command_line.next("BLOCKS_A_SIDE", 3, 100);
    const int steps = command_line.next("STEPS", 10, 1'000);
    command_line.finish();

    const grid::decomposition<2> cut({n, n}, {blocks, blocks});
    const auto all = imbrex::make_array<block>(cut.shape(), cut);
    const double sum = co_await all.reduce<&block::run>(imbrex::sum, steps);
    // Each step adds the derivative of x + y, which is 2, whatever constant has been added to all cells.
    const double inside = n - 2.0 * radius;
    const bool right = std::fabs(sum / (inside * inside) - 2.0 * steps) < 1e-8;
    std::printf("%d steps of %d x %d cells: %s\n", steps, n, n, right ? "as computed by hand" : "wrong");
    co_return right ? 0 : 1;
  });
}
