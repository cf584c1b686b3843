// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/core/run/machine.hpp>

namespace imbrex::detail {

/// A machine that steps all PEs on the caller's thread, in simulated time.
class stepping_machine : public machine {
 public:
  const clock& time() const final { return clock_; }
  simulated_clock* simulated_time() final { return &clock_; }
  /// One pool: a message's memory is used again while it is in the processor's cache. In a traced run each PE
  /// has its own, since a trace names messages by their addresses, and PEs run ahead of each other.
  pool* memory() final { return is_traced_ ? nullptr : &memory_; }
  void connect(bool may_spin, scheduler* comm_thread) override;
  void stop() final {}  // each step checks whether the run has ended
  void interrupt() noexcept final;
  void finish(const std::function<void(processor& pe)>& last) final;
  std::optional<machine_moment> fault() const final { return fault_; }

 protected:
  stepping_machine(const options& settings, local_run& run);

  /// Notifies the observers of all PEs that their thread begins, and steps until the run has ended, or a PE
  /// dies (`--fault`).
  template <class Step>
  void run_steps(Step step) {
    begin();
    while (step()) {
      ++events_;
      if (events_ >= next_look_.load(std::memory_order_relaxed)) [[unlikely]]
        if (look_up()) return;
    }
  }
  /// Calls `function` as PE `pe`; an exception fails the run.
  template <class Function>
  void act_as(processor& pe, Function function) {
    const scheduler::activation as(pe);
    try {
      function();
    } catch (...) {
      run_.fail("on PE " + std::to_string(pe.pe()) + ": " + describe_current_exception());
    }
  }

  local_run& run_;
  simulated_clock clock_;

 private:
  void begin();
  /// Attends to those who want a report. True if a PE has died (`--fault`).
  bool look_up();
  /// The value of `next_look_` while nobody asks for a report.
  std::uint64_t usual_look() const;

  const bool is_traced_;
  pool memory_;
  bool has_begun_ = false;
  std::uint64_t events_;
  std::uint64_t fault_event_ = std::numeric_limits<std::uint64_t>::max();
  /// The number of events after which the machine looks for more than the next step: `fault_event_`, or 0
  /// once `interrupt` was called, and for a fault at a time. A step needs one check for all three.
  std::atomic<std::uint64_t> next_look_ = std::numeric_limits<std::uint64_t>::max();
  nanoseconds fault_time_ = nanoseconds::max();
  std::optional<machine_moment> fault_;  ///< the fault that has ended the run
};

}  // namespace imbrex::detail
