// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/resident/program.hpp>

#include "block.hpp"
#include "native_kernels.hpp"

namespace jacobi2d {
namespace {

using imbrex::device_span;
using imbrex::native_stream;

#if !IMBREX_HAS_CUDA
constexpr void (*sweep_on_device)(native_stream, device_span<float>, device_span<float>, int, int) = nullptr;
constexpr void (*loop_on_device)(native_stream, device_span<float>, device_span<float>, int, int, int,
                                 int) = nullptr;
#endif

constexpr imbrex::kernel<device_span<float>, device_span<float>, int, int> sweep{
    .name = "sweep",
    .native = sweep_on_device,
    .host = [](device_span<float> from, device_span<float> to, int rows, int width) {
      update(from.data(), to.data(), 1, rows, width, nullptr, nullptr, 0, 1);
    }};
constexpr imbrex::kernel<device_span<float>, device_span<float>, int, int, int, int> loop{
    .name = "loop",
    .native = loop_on_device,
    .host = [](device_span<float> a, device_span<float> b, int rows, int width, int sweeps, int) {
      for (int n = 0; n < sweeps; ++n)
        update((n % 2 == 0 ? a : b).data(), (n % 2 == 0 ? b : a).data(), 1, rows, width, nullptr, nullptr, 0,
               1);
    }};

std::size_t cells_of(int rows, int width) {
  return (static_cast<std::size_t>(rows) + 2) * static_cast<std::size_t>(pitch_of(width));
}

void check(const problem& p) {
  if (p.width < 4 || p.width % 4 != 0)
    throw imbrex::usage_error("a grid of " + std::to_string(p.width) +
                              " columns cannot be: multiples of 4 can be");
  if (p.rows < 1 || p.sweeps < 1 || p.blocks_each < 1)
    throw imbrex::usage_error("rows, sweeps and blocks must be at least 1");
}

/// The grid with its margins, row 0 and the last one of zeros.
std::vector<float> with_margins(const problem& p, const std::vector<float>& cells) {
  std::vector<float> all(cells_of(p.rows, p.width));
  for (int r = 0; r < p.rows; ++r)
    std::copy_n(cells.begin() + std::ptrdiff_t{r} * p.width, p.width, row_of(all.data(), r + 1, p.width));
  return all;
}
std::vector<float> without_margins(const problem& p, std::vector<float> all) {
  std::vector<float> cells;
  for (int r = 0; r < p.rows; ++r) {
    const float* const row = row_of(all.data(), r + 1, p.width);
    cells.insert(cells.end(), row, row + p.width);
  }
  return cells;
}

/// Two copies of the grid on a device.
class grid_pair {
 public:
  grid_pair(imbrex::device& on, std::size_t cells)
      : first_(on, cells),
        second_(on, cells),
        host_(on, cells),
        stream_(on, imbrex::stream_priority::normal, "jacobi2d") {}
  void write(const std::vector<float>& cells) {
    std::ranges::copy(cells, host_.span().begin());
    stream_.copy(first_.span(), host_.span());
    stream_.copy(second_.span(), host_.span());
    stream_.synchronize();
  }
  std::vector<float> read(bool second) {
    stream_.copy(host_.span(), (second ? second_ : first_).span());
    stream_.synchronize();
    return {host_.span().begin(), host_.span().end()};
  }
  device_span<float> first() { return first_.span(); }
  device_span<float> second() { return second_.span(); }
  imbrex::stream& stream() { return stream_; }

 private:
  imbrex::device_buffer<float> first_, second_;
  imbrex::pinned_buffer<float> host_;
  imbrex::stream stream_;
};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

solution solve_as_kernels(imbrex::device& on, const problem& p, variant how) {
  grid_pair grid(on, cells_of(p.rows, p.width));
  const int threads = p.threads == 0 ? 512 : static_cast<int>(p.threads);
  const auto run = [&](int sweeps) {
    if (how == variant::loop)
      grid.stream().launch(loop, grid.first(), grid.second(), p.rows, p.width, sweeps, threads);
    for (int n = 0; how == variant::sweeps && n < sweeps; ++n)
      grid.stream().launch(sweep, n % 2 == 0 ? grid.first() : grid.second(),
                           n % 2 == 0 ? grid.second() : grid.first(), p.rows, p.width);
    grid.stream().synchronize();
  };
  run(2);  // loads the kernel
  grid.write(with_margins(p, begin_of(p)));
  solution found;
  found.seconds = seconds_of([&] { run(p.sweeps); });
  found.cells = without_margins(p, grid.read(p.sweeps % 2 == 1));
  return found;
}

solution solve_by_chares(imbrex::device& on, const problem& p) {
  namespace resident = imbrex::resident;
  resident::settings s;
  s.pes = p.pes;
  s.threads = p.threads == 0 && on.info().backend != "emulated" ? 512 : p.threads;
  const std::uint32_t pes = resident::program<block>::completed(on, s).pes;
  const int blocks = std::min(p.rows, p.blocks_each * static_cast<int>(pes));
  resident::program<block> program(on, s, {blocks});

  // A block's rows have two more, so the grid in blocks has more rows than the grid.
  const int rows_each = p.rows / blocks, longer = p.rows % blocks;
  const auto rows_of = [&](int b) { return rows_each + (b < longer ? 1 : 0); };
  const auto first_row = [&](int b) { return b * rows_each + std::min(b, longer); };
  const std::vector<float> begin = with_margins(p, begin_of(p));
  const std::size_t all = cells_of(p.rows + 2 * (blocks - 1), p.width);
  const auto pitch = static_cast<std::size_t>(pitch_of(p.width));
  const auto place = [&](int b) {
    return (static_cast<std::size_t>(first_row(b)) + 2 * static_cast<std::size_t>(b)) * pitch;
  };
  grid_pair grid(on, all);
  std::vector<block> chares(static_cast<std::size_t>(blocks));
  const auto prepare = [&](int sweeps) {
    std::vector<float> in_blocks(all);
    for (int b = 0; b < blocks; ++b) {
      std::copy_n(begin.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(first_row(b)) * pitch),
                  (static_cast<std::size_t>(rows_of(b)) + 2) * pitch,
                  in_blocks.begin() + static_cast<std::ptrdiff_t>(place(b)));
      block& one = chares[static_cast<std::size_t>(b)];
      one = block();
      one.buffers[0] = grid.first().data() + place(b);
      one.buffers[1] = grid.second().data() + place(b);
      one.rows = rows_of(b);
      one.width = p.width;
      one.sweeps = sweeps;
    }
    grid.write(in_blocks);
    program.write(chares);
  };
  prepare(2);
  program.run_all<&block::sweep>(std::uint32_t{0});
  prepare(p.sweeps);
  solution found;
  found.blocks = blocks;
  found.seconds = seconds_of([&] {
    if (program.run_all<&block::sweep>(std::uint32_t{0}).value != static_cast<std::uint64_t>(blocks))
      throw imbrex::error("not all blocks have come to the end");
  });
  const std::vector<float> in_blocks = grid.read(p.sweeps % 2 == 1);
  std::vector<float> cells(cells_of(p.rows, p.width));
  for (int b = 0; b < blocks; ++b)
    std::copy_n(
        in_blocks.begin() + static_cast<std::ptrdiff_t>(place(b) + pitch),
        static_cast<std::size_t>(rows_of(b)) * pitch,
        cells.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(first_row(b)) + 1) * pitch));
  found.cells = without_margins(p, std::move(cells));
  return found;
}

}  // namespace

std::vector<float> begin_of(const problem& p) {
  check(p);
  std::vector<float> cells(static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(p.width));
  for (std::size_t n = 0; n < cells.size(); ++n) cells[n] = static_cast<float>(n * 2'654'435'761U % 1'000);
  return cells;
}

std::vector<float> expected(const problem& p) {
  std::vector<float> now = with_margins(p, begin_of(p)), next = now;
  for (int n = 0; n < p.sweeps; ++n) {
    for (int r = 1; r <= p.rows; ++r) {
      const float* const row = row_of(now.data(), r, p.width);
      float* const to = row_of(next.data(), r, p.width);
      const float* const up = row_of(now.data(), r - 1, p.width);
      const float* const down = row_of(now.data(), r + 1, p.width);
      for (int c = 0; c < p.width; ++c) to[c] = mean(up[c], row[c - 1], row[c + 1], down[c]);
    }
    std::swap(now, next);
  }
  return without_margins(p, std::move(now));
}

solution solve(imbrex::device& on, const problem& p, variant how) {
  check(p);
  return how == variant::resident ? solve_by_chares(on, p) : solve_as_kernels(on, p, how);
}

}  // namespace jacobi2d
