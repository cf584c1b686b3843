// SPDX-License-Identifier: Apache-2.0
// Two threads without a runtime: the lower bound by the hardware, and a simple hand-written version.
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

#include <imbrex/base/host/pause.hpp>
#include <imbrex/base/host/topology.hpp>

#include "bench/measure.hpp"

namespace {

/// Runs two functions, each bound to its own core as PEs are, and returns when both have ended.
template <class First, class Second>
void run_two(First first, Second second) {
  const auto bound = [](int core, auto& run) {
    imbrex::bind_this_thread(core);
    run();
  };
  std::thread a([&] { bound(0, first); });
  std::thread b([&] { bound(1, second); });
  a.join();
  b.join();
}

/// Plays n hits between two threads; `take(side)` waits for the ball, `give(side)` passes it to the other
/// side.
template <class Take, class Give>
double play(std::int64_t n, Take take, Give give) {
  double seconds = 0;
  run_two(
      [&] {
        const bench::stopwatch watch;
        for (std::int64_t i = 0; i < n / 2; ++i) {
          give(0);
          take(0);
        }
        seconds = watch.seconds();
      },
      [&] {
        for (std::int64_t i = 0; i < n / 2; ++i) {
          take(1);
          give(1);
        }
      });
  return seconds;
}

/// A pointer in one cache line for each direction: the fastest possible exchange.
void pingpong_handover(benchmark::State& state) {
  struct alignas(64) slot {
    std::atomic<std::int64_t*> ball = nullptr;
  };
  bench::per_operation(state, 2, [](std::int64_t n) {
    slot slots[2];
    std::int64_t value = 0;
    std::int64_t* held[2] = {&value, nullptr};
    return play(
        n,
        [&](int side) {
          auto& own_ball = slots[side].ball;
          while ((held[side] = own_ball.load(std::memory_order_acquire)) == nullptr)
            imbrex::pause_processor();
          own_ball.store(nullptr, std::memory_order_relaxed);
        },
        [&](int side) {
          ++*held[side];
          slots[1 - side].ball.store(held[side], std::memory_order_release);
        });
  });
}
BENCHMARK(pingpong_handover)->Apply(bench::medians);

/// A queue with a lock and a condition variable.
class locked_queue {
 public:
  void push(std::vector<std::byte> bytes) {
    {
      const std::lock_guard hold(lock_);
      items_.push(std::move(bytes));
    }
    ready_.notify_one();
  }
  std::vector<std::byte> pop() {
    std::unique_lock hold(lock_);
    ready_.wait(hold, [this] { return !items_.empty(); });
    auto bytes = std::move(items_.front());
    items_.pop();
    return bytes;
  }

 private:
  std::mutex lock_;
  std::condition_variable ready_;
  std::queue<std::vector<std::byte>> items_;
};

void pingpong_locked_queue(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  bench::per_operation(state, 2, [bytes](std::int64_t n) {
    locked_queue queues[2];
    std::vector<std::byte> held[2] = {std::vector<std::byte>(bytes), {}};
    return play(
        n, [&](int side) { held[side] = queues[side].pop(); },
        [&](int side) { queues[1 - side].push(std::move(held[side])); });
  });
}
BENCHMARK(pingpong_locked_queue)->Arg(8)->Apply(bench::medians);

void message_rate_locked_queue(benchmark::State& state) {
  constexpr std::int64_t window = 2000;
  bench::per_operation(state, window, [](std::int64_t n) {
    locked_queue there;
    locked_queue back;
    double seconds = 0;
    run_two(
        [&] {
          const bench::stopwatch watch;
          for (std::int64_t w = 0; w < n / window; ++w) {
            for (std::int64_t i = 0; i < window; ++i) there.push(std::vector<std::byte>(8));
            back.pop();
          }
          seconds = watch.seconds();
        },
        [&] {
          for (std::int64_t i = 1; i <= n; ++i) {
            auto bytes = there.pop();
            if (i % window == 0) back.push(std::move(bytes));
          }
        });
    return seconds;
  });
}
BENCHMARK(message_rate_locked_queue)->Arg(8)->Apply(bench::medians);

}  // namespace
