// SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/buffer.hpp>
#include <imbrex/error.hpp>
#include <imbrex/kernel.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/stream.hpp>

#include "block.hpp"
#include "native_kernels.hpp"
#include "waiting_share.hpp"

namespace jacobi2d {
namespace {

using imbrex::device_span;
using imbrex::native_stream;
namespace resident = imbrex::resident;

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
                              " columns is impossible: give a multiple of 4");
  if (p.rows < 1 || p.sweeps < 1 || p.blocks_each < 1)
    throw imbrex::usage_error("rows, sweeps and blocks must be at least 1");
}

/// Copies cells into a grid with margins, whose first and last rows are zeros.
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

namespace resident = imbrex::resident;

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

template <class Chare>
row_blocks row_blocks::of(imbrex::device& on, const problem& p, std::uint32_t gpus) {
  check(p);
  row_blocks cut;
  cut.pitch = static_cast<std::size_t>(pitch_of(p.width));
  constexpr bool waits = std::is_same_v<Chare, waiting_share>;
  resident::settings& s = cut.settings;
  s.pes = waits ? gpus : p.pes;
  s.gpus = gpus;
  s.threads = p.threads == 0 && on.info().backend != "emulated" ? 512 : p.threads;
  s.placed = resident::placement::blocks;
  s = resident::program<Chare>::completed(on, s);
  const int pes = static_cast<int>(s.pes);
  cut.blocks = std::min(p.rows, (waits ? 1 : p.blocks_each) * pes);
  cut.rows_each = p.rows / cut.blocks;
  cut.longer = p.rows % cut.blocks;
  cut.of_gpu = (cut.blocks + pes - 1) / pes * static_cast<int>(s.pes / gpus);
  return cut;
}

std::size_t row_blocks::place(int b) const {
  const int first = b - b % of_gpu;
  return static_cast<std::size_t>(first_row(b) - first_row(first) + 2 * (b - first)) * pitch;
}

std::size_t row_blocks::cells() const {
  return static_cast<std::size_t>(of_gpu) * static_cast<std::size_t>(rows(0) + 2) * pitch;
}

template <class Chare>
std::size_t resident_solver<Chare>::heap_bytes(imbrex::device& on, const problem& p, std::uint32_t gpus) {
  const auto cut = row_blocks::of<Chare>(on, p, gpus);
  return resident::program<Chare>::heap_bytes(on, cut.settings, {cut.blocks}) +
         2 * (cut.cells() * sizeof(float) + 256) + 256;
}

template <class Chare>
resident_solver<Chare>::resident_solver(const resident::symmetric_heap& heap, const problem& p)
    : heap_(heap),
      problem_(p),
      cut_(row_blocks::of<Chare>(heap.memory()->on(), p, heap.gpus())),
      program_(heap, cut_.settings, {cut_.blocks}),
      grids_{heap.make<float>(cut_.cells()), heap.make<float>(cut_.cells())},
      flags_(heap.make<std::uint32_t>(2)) {}

/// First block of a GPU, and the one after its last.
template <class Chare>
std::pair<int, int> resident_solver<Chare>::blocks_of(std::uint32_t gpu) const {
  const int first = std::min(static_cast<int>(gpu) * cut_.of_gpu, cut_.blocks);
  return {first, std::min(first + cut_.of_gpu, cut_.blocks)};
}

template <class Chare>
void resident_solver<Chare>::prepare(int sweeps) {
  std::vector<Chare> chares(static_cast<std::size_t>(cut_.blocks));
  for (int b = 0; b < cut_.blocks; ++b) {
    Chare& one = chares[static_cast<std::size_t>(b)];
    one.rows = cut_.rows(b);
    one.width = problem_.width;
    one.sweeps = sweeps;
    for (int side = 0; side < 2; ++side) {
      const auto part = [&](int of, int row, std::size_t begin, std::size_t cells) {
        return grids_[side].what().part(cut_.place(of) + static_cast<std::size_t>(row) * cut_.pitch + begin,
                                        cells);
      };
      const auto width = static_cast<std::size_t>(problem_.width);
      one.buffers[side] = part(b, 0, 0, static_cast<std::size_t>(one.rows + 2) * cut_.pitch);
      if (b > 0) one.above[side] = part(b - 1, cut_.rows(b - 1) + 1, margin, width);
      if (b + 1 < cut_.blocks) one.below[side] = part(b + 1, 0, margin, width);
    }
    if constexpr (std::is_same_v<Chare, waiting_share>) one.flags = flags_.what();
  }
  program_.write(chares);
  const std::vector<float> begin = with_margins(problem_, begin_of(problem_));
  for (std::uint32_t g = heap_.first_gpu(); g < heap_.first_gpu() + heap_.gpus_here(); ++g) {
    std::vector<float> in_blocks(cut_.cells());
    for (auto [b, end] = blocks_of(g); b < end; ++b)
      std::copy_n(begin.data() + static_cast<std::size_t>(cut_.first_row(b)) * cut_.pitch,
                  static_cast<std::size_t>(cut_.rows(b) + 2) * cut_.pitch, in_blocks.data() + cut_.place(b));
    for (const auto& grid : grids_) grid.write(g, in_blocks);
    flags_.write(g, std::vector<std::uint32_t>(2));
  }
}

template <class Chare>
void resident_solver<Chare>::end() {
  if (program_.end().value != static_cast<std::uint64_t>(cut_.blocks))
    throw imbrex::error("not all blocks have reached the end");
}

template <class Chare>
int resident_solver<Chare>::first_row() const {
  return cut_.first_row(blocks_of(heap_.first_gpu()).first);
}

template <class Chare>
std::vector<float> resident_solver<Chare>::cells(int sweeps) const {
  std::vector<float> all;
  for (std::uint32_t g = heap_.first_gpu(); g < heap_.first_gpu() + heap_.gpus_here(); ++g) {
    std::vector<float> in_blocks = grids_[sweeps % 2].read(g);
    for (auto [b, end] = blocks_of(g); b < end; ++b)
      for (int r = 1; r <= cut_.rows(b); ++r) {
        const float* const row = row_of(in_blocks.data() + cut_.place(b), r, problem_.width);
        all.insert(all.end(), row, row + problem_.width);
      }
  }
  return all;
}

template class resident_solver<block>;
template class resident_solver<waiting_share>;

namespace {

template <class Chare>
solution solve_by_chares(imbrex::device& on, const problem& p) {
  const resident::symmetric_heap heap(on, p.gpus, resident_solver<Chare>::heap_bytes(on, p, p.gpus));
  resident_solver<Chare> solver(heap, p);
  const auto run = [&] {
    solver.start();
    solver.stream().synchronize();
    solver.end();
  };
  solver.prepare(2);  // loads the kernel
  run();
  solver.prepare(p.sweeps);
  solution found;
  found.blocks = solver.blocks();
  found.seconds = seconds_of(run);
  found.cells = solver.cells(p.sweeps);
  return found;
}

}  // namespace

solution solve(imbrex::device& on, const problem& p, variant how) {
  check(p);
  if (how == variant::resident) return solve_by_chares<block>(on, p);
  if (how == variant::waiting) return solve_by_chares<waiting_share>(on, p);
  return solve_as_kernels(on, p, how);
}

}  // namespace jacobi2d
