// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/emulated/emulation.hpp>

namespace imbrex::emulated {

/// Emulated devices in real time. One thread sleeps until the engine's next event; some run the kernels'
/// functions, one the copies, one the host functions. One lock guards the engine and all queues; no thread
/// holds it while it runs a body.
class thread_emulation final : public emulation {
 public:
  explicit thread_emulation(const emulated_options& emulation_options);
  ~thread_emulation() override;

  engine& core() override { return engine_; }
  void value_changed() override;
  bool seen(const completion& awaited) override { return awaited.done.load(std::memory_order_acquire); }
  void wait(const completion& awaited, int device) override;
  void stop(int device) noexcept override;
  void begin(operation& started) override;
  std::uint32_t marked(const completion*) override { return 0; }
  void asks(std::uint32_t) override {}
  void end(operation&) override {}  // the body has been running since the start

 private:
  /// Bodies to run, in the order of their start.
  struct queue {
    std::deque<operation*> waiting;
    std::condition_variable filled;
  };

  void enter() override;
  void leave() noexcept override;
  void tell() noexcept;
  nanoseconds charge(host_call, std::size_t) override { return engine_.now(); }
  queue& queue_of(const operation& op);
  void work(queue& from);
  void keep_time();
  void start_threads(int workers);
  void end_threads() noexcept;

  std::mutex lock_;
  engine engine_;
  detail::real_clock clock_;
  queue kernels_;
  queue copies_;
  queue host_functions_;
  std::vector<int> running_;         // number of running bodies, by device
  std::condition_variable earlier_;  // notified if an event is due before the time keeper wakes
  std::condition_variable news_;     // notified for waiters of operations
  nanoseconds sleeps_until_{0};      // end of the time keeper's sleep
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace imbrex::emulated
