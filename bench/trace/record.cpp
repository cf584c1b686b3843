// SPDX-License-Identifier: Apache-2.0
// The cost of tracing: of a record besides reading the tick counter, and of a message between chares with and
// without a trace. The trace is on the memory file system, so that no disk is measured.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include <imbrex/base/host/ticks.hpp>
#include <imbrex/core/run/runtime.hpp>
#include <imbrex/trace/recording.hpp>

#include "bench/measure.hpp"

namespace {

const std::string file = "/dev/shm/imbrex-bench.trace";

void counter_alone(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    const bench::stopwatch watch;
    for (std::int64_t i = 0; i < n; ++i) {
      auto time = imbrex::read_ticks();
      benchmark::DoNotOptimize(time);
    }
    return watch.seconds();
  });
}
BENCHMARK(counter_alone)->Apply(bench::medians);

/// Records in bursts that fit into the ring, which the writer empties in between.
void counter_and_record(benchmark::State& state) {
  constexpr std::int64_t burst = 50'000;
  bench::per_operation(state, burst, [](std::int64_t n) {
    imbrex::trace::recording_settings settings;
    settings.file = file;
    double seconds = 0;
    {
      imbrex::trace::recording recording(settings, {});
      auto& track = recording.add_track(0, imbrex::trace::time_unit::ticks);
      track.follow(0);
      for (std::int64_t done = -10 * burst; done < n; done += burst) {  // the first touch the ring's memory
        const bench::stopwatch watch;
        for (std::int64_t i = 0; i < burst; ++i)
          track.add({imbrex::read_ticks(), imbrex::trace::record_kind::mark, 0, 0, 0,
                     static_cast<std::uint64_t>(i), 0});
        if (done >= 0) seconds += watch.seconds();
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
      }
      recording.finish();
    }
    std::remove(file.c_str());
    return seconds;
  });
}
BENCHMARK(counter_and_record)->Apply(bench::medians)->Iterations(2'000'000);

class relay : public imbrex::chare<relay> {
 public:
  imbrex::mailbox<std::int64_t> end;

  imbrex::task<double> chain(std::int64_t messages) {
    const bench::stopwatch watch;
    imbrex::send<&relay::pass>(peers()[1], messages - 1);
    co_await end.receive();
    co_return watch.seconds();
  }
  void pass(std::int64_t left) {
    if (left == 0) return imbrex::send<&relay::end>(peers()[0], std::int64_t{0});
    imbrex::send<&relay::pass>(peers()[1 - where()[0]], left - 1);
  }
};

/// 0: without a trace; 1: with a paused trace; 2: recording, three records a message.
void message(benchmark::State& state) {
  bench::per_operation(state, 1, [&state](std::int64_t n) {
    imbrex::options settings;
    settings.pes = 1;
    settings.bind = imbrex::options::binding::core;
    if (state.range(0) > 0) settings.trace = file;
    settings.trace_paused = state.range(0) == 1;
    settings.trace_buffer.waits = true;
    settings.trace_buffer.bytes = 1'000'000'000;
    double seconds = 0;
    imbrex::detail::runtime run(settings);
    run.run([&]() -> imbrex::task<int> {
      auto pair = imbrex::make_array<relay>({2});
      seconds = co_await pair[0].call<&relay::chain>(n);
      co_return 0;
    });
    std::remove(file.c_str());
    return seconds;
  });
}
BENCHMARK(message)->Arg(0)->Arg(1)->Arg(2)->Apply(bench::medians);

}  // namespace
