// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

#include <benchmark/benchmark.h>

#include <imbrex/imbrex.hpp>

#include "bench/stopwatch.hpp"

namespace bench {

/// Reports the time of one operation. `measure(operations)` performs operations and returns their duration in
/// seconds, without the setup. The number of operations is a multiple of `round`.
template <class Measure>
void per_operation(benchmark::State& state, std::int64_t round, Measure measure) {
  while (state.KeepRunningBatch(state.max_iterations)) {
    const std::int64_t requested_operations = state.max_iterations;
    const std::int64_t operations = (requested_operations + round - 1) / round * round;
    const double seconds = measure(operations);
    state.SetIterationTime(seconds * static_cast<double>(requested_operations) /
                           static_cast<double>(operations));
  }
}

/// Runs seven repetitions; the table shows their median.
inline void medians(benchmark::internal::Benchmark* b) {
  b->UseManualTime()->Repetitions(7)->DisplayAggregatesOnly();
}

/// Runs a main task on `pes` PEs, each bound to its core. The task is a coroutine that returns its measured
/// seconds.
template <class Main>
double seconds_in_run(int pes, Main main) {
  double seconds = 0;
  imbrex::options settings;
  settings.pes = pes;
  settings.bind = imbrex::options::binding::core;
  const int status = imbrex::run(settings, [&]() -> imbrex::task<> { seconds = co_await main(); });
  if (status != 0) std::exit(status);
  return seconds;
}

}  // namespace bench
