// SPDX-License-Identifier: Apache-2.0
// Jacobi3D's sweep alone, in cells a second, and its bound: a copy of as many numbers with streaming stores.
// A cell of either counts 16 bytes. pair/threads measures both alternately and reports the median ratio,
// which is stable on a shared machine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "apps/jacobi3d/plain_loop.hpp"

namespace {

using harness::extents;
using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

void copy_past_caches(const double* from, double* to, std::size_t count) {
#if defined(__SSE2__)
  for (std::size_t n = 0; n < count; n += 2) _mm_stream_pd(to + n, _mm_load_pd(from + n));
  _mm_sfence();
#else
  std::copy_n(from, count, to);
#endif
}

class copy_loop {
 public:
  explicit copy_loop(std::size_t count) : count_(count), from_(allocate(count)), to_(allocate(count)) {}

  double seconds(int threads) {
    clock_type::time_point start;
    std::barrier together(threads, [&]() noexcept { start = clock_type::now(); });
    const auto copy_part = [&](int thread) {
      const std::size_t part = count_ / std::size_t(threads) / 8 * 8, first = part * std::size_t(thread);
      together.arrive_and_wait();
      copy_past_caches(from_.get() + first, to_.get() + first, part);
    };
    {
      std::vector<std::jthread> others;
      for (int thread = 1; thread < threads; ++thread) others.emplace_back(copy_part, thread);
      copy_part(0);
    }
    return seconds_since(start);
  }

 private:
  struct release {
    void operator()(double* storage) const { std::free(storage); }
  };
  using storage = std::unique_ptr<double, release>;

  static storage allocate(std::size_t count) {
    storage memory(static_cast<double*>(std::aligned_alloc(64, count * sizeof(double))));
    std::fill_n(memory.get(), count, 1.0);
    return memory;
  }

  std::size_t count_;
  storage from_, to_;
};

constexpr std::size_t copied = std::size_t(1) << 24;  // 128 MiB read, 128 MiB written

void copy(benchmark::State& state) {
  copy_loop loop(copied);
  for (auto _ : state) state.SetIterationTime(loop.seconds(int(state.range(0))));
  state.counters["Mcell/s"] =
      benchmark::Counter(double(copied) * 1e-6, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(copy)->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

// Arguments: extents, then 1 for streaming stores.
void sweep_block(benchmark::State& state) {
  const extents cells{state.range(0), state.range(1), state.range(2)};
  jacobi3d::block_field field(cells, {});
  jacobi3d::fill(field, jacobi3d::initial_values::parse("random:1"), cells, {0, 0, 0});
  const jacobi3d::sweep_options options{.stores = state.range(3) != 0 ? jacobi3d::store_policy::streaming
                                                                      : jacobi3d::store_policy::cached};
  for (auto _ : state) benchmark::DoNotOptimize(jacobi3d::sweep(field, options));
  state.counters["Mcell/s"] = benchmark::Counter(double(cells[0] * cells[1] * cells[2]) * 1e-6,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(sweep_block)
    ->Args({8, 8, 8, 0})
    ->Args({16, 32, 64, 0})
    ->Args({64, 64, 64, 0})
    ->Args({128, 128, 128, 0})
    ->Args({256, 256, 256, 0})
    ->Args({256, 256, 256, 1})
    ->Args({512, 512, 512, 0})
    ->Args({512, 512, 512, 1});

// Arguments: cells in each dimension, threads.
void pair(benchmark::State& state) {
  const std::int64_t edge = state.range(0);
  const int threads = int(state.range(1));
  const auto cells = double(edge * edge * edge);
  jacobi3d::plain_loop plain({edge, edge, edge}, jacobi3d::initial_values::parse("random:1"), threads);
  copy_loop loop(copied);
  const std::int64_t sweeps = std::max<std::int64_t>(2, std::int64_t(2e7 / cells));
  std::vector<double> ratios;
  for (auto _ : state) {
    const double sweep_seconds = plain.run(sweeps, true).seconds / double(sweeps);
    const double copy_seconds = loop.seconds(threads) / double(copied) * cells;
    state.SetIterationTime(sweep_seconds);
    ratios.push_back(copy_seconds / sweep_seconds);
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["ratio"] = ratios[ratios.size() / 2];
  state.counters["Mcell/s"] = benchmark::Counter(cells * 1e-6, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(pair)
    ->ArgsProduct({{64, 128, 256, 512}, {1, 2}})
    ->Iterations(9)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
BENCHMARK_MAIN();
