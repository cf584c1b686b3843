// SPDX-License-Identifier: Apache-2.0
// The accuracy of --net-latency and --net-bandwidth, and their cost: one message at a time from one PE to
// another over a link of 1 GB/s, and the reply over the same link. Reports, in microseconds, for each:
//   model    latency + bytes / bandwidth
//   median, p95    the time from the call of send to the first statement of the entry, less the model
//   cpu      processor time of the whole process for each message and its reply
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

#include "bench/measure.hpp"

namespace {

using time_point = std::int64_t;  // ns

time_point now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double processor_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

class end : public imbrex::chare<end> {
 public:
  imbrex::mailbox<time_point> answers;

  /// Sends messages one after the other; returns each message's time in nanoseconds.
  imbrex::task<std::vector<time_point>> measure(int messages, std::size_t bytes) {
    std::vector<time_point> times;
    for (int i = 0; i < messages; ++i) {
      std::vector<std::byte> content(bytes);
      imbrex::send<&end::take>(peers()[1], now(), std::move(content));
      const time_point took = co_await answers.receive();
      times.push_back(took);
    }
    co_return times;
  }
  void take(time_point sent, std::vector<std::byte>) {
    imbrex::send<&end::answers>(peers()[0], now() - sent);
  }
  /// Keeps this PE awake, so that measured times contain no thread wake-up.
  void stay_awake() { imbrex::send<&end::stay_awake>(peers()[where()[0]]); }
};

void one_way(benchmark::State& state, bool awake) {
  constexpr int messages = 200;
  constexpr std::uint64_t bandwidth = 1'000'000'000;
  const auto latency = std::chrono::microseconds(state.range(0));
  const auto bytes = static_cast<std::size_t>(state.range(1));
  imbrex::options settings;
  settings.pes = 2;
  settings.net_latency = latency;
  settings.net_bandwidth = bandwidth;
  std::vector<time_point> times;
  double used = 0;
  for (auto _ : state) {
    const bench::stopwatch watch;
    const int status = imbrex::run(settings, [&]() -> imbrex::task<> {
      const auto ends = imbrex::make_array<end>(2);
      if (awake) imbrex::send<&end::stay_awake>(ends[1]);
      // Warm-up: the PEs' threads measure by how much their sleeps are late.
      co_await ends[0].call<&end::measure>(50, bytes);
      const double before = processor_seconds();
      times = co_await ends[0].call<&end::measure>(messages, bytes);
      used = processor_seconds() - before;
      imbrex::exit(0);
    });
    if (status != 0) std::exit(status);
    state.SetIterationTime(watch.seconds());
  }
  std::sort(times.begin(), times.end());
  const double model = static_cast<double>(latency.count()) + static_cast<double>(bytes) / (bandwidth * 1e-6);
  const auto excess_over_model = [&](std::size_t percent) {
    return static_cast<double>(times[times.size() * percent / 100]) * 1e-3 - model;
  };
  state.counters["model"] = model;
  state.counters["median"] = excess_over_model(50);
  state.counters["p95"] = excess_over_model(95);
  if (!awake) state.counters["cpu"] = used * 1e6 / messages;
}

void arguments(benchmark::internal::Benchmark* b) {
  b->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
  for (const int latency : {20, 200, 2000})
    for (const int bytes : {8, 65536, 1 << 20}) b->Args({latency, bytes});
}
BENCHMARK_CAPTURE(one_way, to_an_awake_PE, true)->Apply(arguments);
BENCHMARK_CAPTURE(one_way, to_a_sleeping_PE, false)->Apply(arguments);

}  // namespace
