// SPDX-License-Identifier: Apache-2.0
// Hand-written alternatives to messages between objects of one thread, and their lower bound.
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>

#include "bench/measure.hpp"

namespace {

constexpr std::int64_t queued = 1'000'000;

struct receiver {
  virtual ~receiver() = default;
  virtual void pass(std::int64_t value) = 0;
};
struct adder final : receiver {
  std::int64_t sum = 0;
  void pass(std::int64_t value) override { sum += value; }
};

/// A virtual call without a queue.
void local_message_virtual_call(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    const std::unique_ptr<receiver> to = std::make_unique<adder>();
    receiver* address = to.get();
    const bench::stopwatch watch;
    for (std::int64_t i = 0; i < n; ++i) {
      benchmark::DoNotOptimize(address);
      address->pass(i);
    }
    return watch.seconds();
  });
}
BENCHMARK(local_message_virtual_call)->Apply(bench::medians);

/// A queue of functions under a lock, the usual first version of an event loop.
class locked_queue {
 public:
  void push(std::function<void()> f) {
    const std::lock_guard hold(lock_);
    functions_.push(std::move(f));
  }
  bool run_one() {
    std::function<void()> f;
    {
      const std::lock_guard hold(lock_);
      if (functions_.empty()) return false;
      f = std::move(functions_.front());
      functions_.pop();
    }
    f();
    return true;
  }

 private:
  std::mutex lock_;
  std::queue<std::function<void()>> functions_;
};

struct relay {
  locked_queue& queue;
  relay* other = nullptr;
  std::int64_t sum = 0;

  void pass(std::int64_t left) {
    if (left > 0) queue.push([to = other, left] { to->pass(left - 1); });
  }
};

void local_message_function_queue(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    locked_queue queue;
    relay a{queue};
    relay b{queue, &a};
    a.other = &b;
    const bench::stopwatch watch;
    a.pass(n);
    while (queue.run_one()) {
    }
    return watch.seconds();
  });
}
BENCHMARK(local_message_function_queue)->Apply(bench::medians);

void queue_drain_function_queue(benchmark::State& state) {
  bench::per_operation(state, queued, [](std::int64_t n) {
    locked_queue queue;
    relay to{queue};
    double seconds = 0;
    for (std::int64_t round = 0; round <= n / queued; ++round) {
      const bench::stopwatch watch;
      for (std::int64_t i = 0; i < queued; ++i)
        queue.push([&to, i, round] { to.sum += i ^ round; });  // too large for std::function's buffer
      while (queue.run_one()) {
      }
      if (round > 0) seconds += watch.seconds();
    }
    benchmark::DoNotOptimize(to.sum);
    return seconds;
  });
}
BENCHMARK(queue_drain_function_queue)->Apply(bench::medians);

/// A coroutine resumed by hand: the cost of a mailbox iteration without a message.
struct generator {
  struct promise_type {
    generator get_return_object() {
      return generator{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};

generator forever(std::int64_t& sum) {
  for (std::int64_t i = 0;; ++i) {
    sum += i;
    co_await std::suspend_always{};
  }
}

void mailbox_chain_bare_resume(benchmark::State& state) {
  bench::per_operation(state, 1, [](std::int64_t n) {
    std::int64_t sum = 0;
    generator g = forever(sum);
    benchmark::DoNotOptimize(g.frame);
    const bench::stopwatch watch;
    for (std::int64_t i = 0; i < n; ++i) g.frame.resume();
    const double seconds = watch.seconds();
    benchmark::DoNotOptimize(sum);
    g.frame.destroy();
    return seconds;
  });
}
BENCHMARK(mailbox_chain_bare_resume)->Apply(bench::medians);

}  // namespace
