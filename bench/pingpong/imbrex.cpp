// SPDX-License-Identifier: Apache-2.0
// Messages between chares of two PEs of one process.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/measure.hpp"

namespace {

class player : public imbrex::chare<player> {
 public:
  imbrex::mailbox<std::int64_t> arrivals;

  /// Passes a ball back and forth: the bytes are moved from entry to entry, never copied.
  imbrex::task<double> serve(std::int64_t hits, std::vector<std::byte> ball) {
    const bench::stopwatch watch;
    imbrex::send<&player::hit>(peers()[1], hits - 1, std::move(ball));
    co_await arrivals.receive();
    co_return watch.seconds();
  }
  void hit(std::int64_t left, std::vector<std::byte> ball) {
    if (left == 0) return imbrex::send<&player::arrivals>(peers()[0], std::int64_t{0});
    imbrex::send<&player::hit>(peers()[1 - where()[0]], left - 1, std::move(ball));
  }

  /// Sends windows of messages, each acknowledged as a whole.
  imbrex::task<double> stream(std::int64_t windows, std::int64_t length) {
    const auto other = peers()[1];
    const bench::stopwatch watch;
    for (std::int64_t w = 0; w < windows; ++w) {
      for (std::int64_t left = length - 1; left >= 0; --left) imbrex::send<&player::take>(other, left);
      co_await arrivals.receive();
    }
    co_return watch.seconds();
  }
  void take(std::int64_t left) {
    if (left == 0) imbrex::send<&player::arrivals>(peers()[0], left);
  }
};

void pingpong(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  bench::per_operation(state, 1, [bytes](std::int64_t n) {
    return bench::seconds_in_run(2, [n, bytes]() -> imbrex::task<double> {
      const auto players = imbrex::make_array<player>(2);
      auto ball = std::vector<std::byte>(bytes);
      const double seconds = co_await players[0].call<&player::serve>(n, std::move(ball));
      co_return seconds;
    });
  });
}
BENCHMARK(pingpong)->RangeMultiplier(8)->Range(8, 1 << 20)->Apply(bench::medians);

constexpr std::int64_t window = 2000;

void message_rate(benchmark::State& state) {
  bench::per_operation(state, window, [](std::int64_t n) {
    return bench::seconds_in_run(2, [n]() -> imbrex::task<double> {
      const auto players = imbrex::make_array<player>(2);
      const double seconds = co_await players[0].call<&player::stream>(n / window, window);
      co_return seconds;
    });
  });
}
BENCHMARK(message_rate)->Arg(sizeof(std::int64_t))->Apply(bench::medians);

}  // namespace
