// SPDX-License-Identifier: Apache-2.0
// oneTBB on one thread: a task that spawns the next, a million queued tasks, and a node of a flow graph.
#include <cstdint>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "bench/measure.hpp"

namespace {

constexpr std::int64_t queued = 1'000'000;

void pass(tbb::task_group& group, std::int64_t left) {
  if (left > 0) group.run([&group, left] { pass(group, left - 1); });
}

void local_message_tbb_task(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    tbb::task_arena arena(1);
    return arena.execute([n] {
      tbb::task_group group;
      const bench::stopwatch watch;
      pass(group, n);
      group.wait();
      return watch.seconds();
    });
  });
}
BENCHMARK(local_message_tbb_task)->Apply(bench::medians);

void local_message_tbb_flow_graph(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    tbb::task_arena arena(1);
    return arena.execute([n] {
      tbb::flow::graph graph;
      tbb::flow::function_node<std::int64_t, std::int64_t> a(graph, tbb::flow::serial,
                                                             [](std::int64_t left) { return left - 1; });
      using decision = tbb::flow::multifunction_node<std::int64_t, std::tuple<std::int64_t>>;
      decision b(graph, tbb::flow::serial, [](std::int64_t left, decision::output_ports_type& out) {
        if (left > 1) std::get<0>(out).try_put(left - 1);
      });
      tbb::flow::make_edge(a, b);
      tbb::flow::make_edge(tbb::flow::output_port<0>(b), a);
      const bench::stopwatch watch;
      a.try_put(n);
      graph.wait_for_all();
      return watch.seconds();
    });
  });
}
BENCHMARK(local_message_tbb_flow_graph)->Apply(bench::medians);

void queue_drain_tbb_task(benchmark::State& state) {
  bench::per_operation(state, queued, [](std::int64_t n) {
    tbb::task_arena arena(1);
    return arena.execute([n] {
      tbb::task_group group;
      std::int64_t sum = 0;
      double seconds = 0;
      for (std::int64_t round = 0; round <= n / queued; ++round) {
        const bench::stopwatch watch;
        for (std::int64_t i = 0; i < queued; ++i) group.run([&sum, i] { sum += i; });
        group.wait();
        if (round > 0) seconds += watch.seconds();
      }
      benchmark::DoNotOptimize(sum);
      return seconds;
    });
  });
}
BENCHMARK(queue_drain_tbb_task)->Apply(bench::medians);

}  // namespace
