// SPDX-License-Identifier: Apache-2.0
// Heat in a plate; each block is in the memory of its device. Shows: fields and halos on devices. The result
// equals that of a loop over the whole plate, bit for bit.
//   build/release/bin/device_grid --pes 2 --device emulated --devices 2
#include <cstdio>
#include <utility>
#include <vector>

#include <imbrex/gpu.hpp>
#include <imbrex/grid.hpp>
#include <imbrex/grid/device_halo.hpp>

#include "arguments.hpp"

namespace grid = imbrex::grid;

namespace {

using cells = grid::device_field<double, 2>;
template <class T>
using view = grid::device_view<T, 2>;

double first_heat(int i, int j) { return (i * i + 3 * j) % 17; }
double next_heat(double here, double low_i, double high_i, double low_j, double high_j) {
  return here + 0.125 * (low_i + high_i + low_j + high_j - 4 * here);
}

// For a GPU a kernel also names a `native` function.
constexpr imbrex::kernel<view<double>, imbrex::index2> heat_up{
    .name = "heat up", .host = [](view<double> u, imbrex::index2 first) {
      for (int i = 0; i < u.extent(0); ++i)
        for (int j = 0; j < u.extent(1); ++j) u(i, j) = first_heat(first[0] + i, first[1] + j);
    }};

constexpr imbrex::kernel<view<const double>, view<double>> sweep{
    .name = "sweep", .host = [](view<const double> now, view<double> next) {
      for (int i = 0; i < now.extent(0); ++i)
        for (int j = 0; j < now.extent(1); ++j)
          next(i, j) = next_heat(now(i, j), now(i - 1, j), now(i + 1, j), now(i, j - 1), now(i, j + 1));
    }};

class block : public imbrex::chare<block, imbrex::index2> {
 public:
  grid::device_halo<cells> halo;

  explicit block(const grid::decomposition<2>& cut)
      : now_(cut[where()].extents), next_(cut[where()].extents) {
    halo.connect<&block::halo>(*this, cut, grid::boundary::reflecting);
    work_.launch(heat_up, now_.view(), cut[where()].origin);
  }

  // The host waits for nothing: the halo's kernels and the sweep follow each other in the stream.
  imbrex::task<> run(int steps) {
    for (int step = 0; step < steps; ++step) {
      co_await halo.exchange(now_, step, work_);
      work_.launch(sweep, std::as_const(now_).view(), next_.view());
      std::swap(now_, next_);
    }
  }

  imbrex::task<std::vector<double>> heat() {
    imbrex::pinned_buffer<double> copy(imbrex::gpu(), now_.span().size());
    work_.copy(copy.span(), std::as_const(now_).span());
    co_await work_.done();
    const auto seen = now_.on_host(copy.span());
    std::vector<double> own;
    for (const auto& i : now_.cells()) own.push_back(seen[i]);
    co_return own;
  }

 private:
  imbrex::stream work_{imbrex::gpu(), imbrex::stream_priority::normal, "a block of the plate"};
  cells now_, next_;
};

/// The reference result, computed on the whole plate.
grid::field<double, 2> heat_of_plate(int n, int steps) {
  grid::field<double, 2> now(imbrex::index2(n, n)), next(now);
  for (const auto [i, j] : now.cells()) now(i, j) = first_heat(i, j);
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < n; ++k) {
      now(-1, k) = now(0, k), now(n, k) = now(n - 1, k);
      now(k, -1) = now(k, 0), now(k, n) = now(k, n - 1);
    }
    for (const auto [i, j] : now.cells())
      next(i, j) = next_heat(now(i, j), now(i - 1, j), now(i + 1, j), now(i, j - 1), now(i, j + 1));
    swap(now, next);
  }
  return now;
}

}  // namespace

int main(int argc, char** argv) {
  return imbrex::run(argc, argv, [&]() -> imbrex::task<int> {
    arguments command_line(argc, argv, "device_grid [CELLS_A_SIDE [BLOCKS_A_SIDE [STEPS]]]");
    const int n = command_line.next("CELLS_A_SIDE", 50, 5'000);
    const int blocks = command_line.next("BLOCKS_A_SIDE", 3, 50);
    const int steps = command_line.next("STEPS", 40, 1'000);
    command_line.finish();

    const grid::decomposition<2> cut({n, n}, {blocks, blocks});
    const auto plate = imbrex::make_array<block>(cut.shape(), cut);
    co_await plate.call<&block::run>(steps);
    const auto parts = co_await plate.reduce<&block::heat>(imbrex::gather);

    const auto reference = heat_of_plate(n, steps);
    std::size_t part = 0, wrong = 0;
    for (const auto& where : imbrex::indices(cut.shape())) {
      std::size_t place = 0;
      for (const auto& i : cut[where]) wrong += parts[part][place++] == reference[i] ? 0 : 1;
      ++part;
    }
    std::printf("%d steps of %d x %d cells: %s\n", steps, n, n, wrong == 0 ? "as a loop has them" : "wrong");
    co_return wrong == 0 ? 0 : 1;
  });
}
