// SPDX-License-Identifier: Apache-2.0
// Messages between chares of one PE.
#include <array>
#include <cstdint>

#include "bench/measure.hpp"

namespace {

constexpr std::int64_t queued = 1'000'000;

class relay : public imbrex::chare<relay> {
 public:
  imbrex::mailbox<std::int64_t> arrivals;

  /// Each entry sends the next message, to the other chare.
  imbrex::task<double> chain(std::int64_t messages) {
    const bench::stopwatch watch;
    imbrex::send<&relay::pass>(peers()[1], messages - 1);
    co_await arrivals.receive();
    co_return watch.seconds();
  }
  void pass(std::int64_t left) {
    if (left == 0) return imbrex::send<&relay::arrivals>(peers()[0], std::int64_t{0});
    imbrex::send<&relay::pass>(peers()[1 - where()[0]], left - 1);
  }

  /// Receives each message by its reference number, and sends the next one to this chare itself.
  imbrex::task<double> iterate(std::int64_t iterations) {
    const bench::stopwatch watch;
    for (std::int64_t i = 0; i < iterations; ++i) {
      imbrex::send<&relay::arrivals>(self(), i, i);
      std::int64_t got = co_await arrivals.receive(i);
      benchmark::DoNotOptimize(got);
    }
    co_return watch.seconds();
  }

  /// Receives the other chare's message, and sends it the next.
  imbrex::task<double> exchange(std::int64_t rounds) {
    const auto other = peers()[1 - where()[0]];
    const bench::stopwatch watch;
    for (std::int64_t i = 0; i < rounds; ++i) {
      imbrex::send<&relay::arrivals>(other, i, i);
      std::int64_t got = co_await arrivals.receive(i);
      benchmark::DoNotOptimize(got);
    }
    co_return watch.seconds();
  }

  /// Queues messages, and waits until they are processed. The first round only fills the memory pool.
  imbrex::task<double> fill(std::int64_t rounds) {
    const auto other = peers()[1];
    double seconds = 0;
    for (std::int64_t round = 0; round <= rounds; ++round) {
      const bench::stopwatch watch;
      for (std::int64_t i = 0; i < queued; ++i) imbrex::send<&relay::count>(other, i);
      co_await arrivals.receive();
      if (round > 0) seconds += watch.seconds();
    }
    co_return seconds;
  }
  void count(std::int64_t i) {
    if (i == queued - 1) imbrex::send<&relay::arrivals>(peers()[0], i & 0);
  }
};

void local_message(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    return bench::seconds_in_run(1, [n]() -> imbrex::task<double> {
      const auto relays = imbrex::make_array<relay>(2);
      const double seconds = co_await relays[0].call<&relay::chain>(n);
      co_return seconds;
    });
  });
}
BENCHMARK(local_message)->Apply(bench::medians);

void mailbox_chain(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    return bench::seconds_in_run(1, [n]() -> imbrex::task<double> {
      const auto relays = imbrex::make_array<relay>(1);
      const double seconds = co_await relays[0].call<&relay::iterate>(n);
      co_return seconds;
    });
  });
}
BENCHMARK(mailbox_chain)->Apply(bench::medians);

void mailbox_exchange(benchmark::State& state) {
  bench::per_operation(state, 2, [](std::int64_t n) {
    return bench::seconds_in_run(1, [n]() -> imbrex::task<double> {
      const auto relays = imbrex::make_array<relay>(2);
      const double seconds = co_await relays.reduce<&relay::exchange>(imbrex::max, n / 2);
      co_return seconds;
    });
  });
}
BENCHMARK(mailbox_exchange)->Apply(bench::medians);

void queue_drain(benchmark::State& state) {
  bench::per_operation(state, queued, [](std::int64_t n) {
    return bench::seconds_in_run(1, [n]() -> imbrex::task<double> {
      const auto relays = imbrex::make_array<relay>(2);
      const double seconds = co_await relays[0].call<&relay::fill>(n / queued);
      co_return seconds;
    });
  });
}
BENCHMARK(queue_drain)->Apply(bench::medians);

}  // namespace
