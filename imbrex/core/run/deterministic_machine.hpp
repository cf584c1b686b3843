// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/run/stepping_machine.hpp>
#include <imbrex/net/local/delayed.hpp>

namespace imbrex::detail {

/// All PEs on one thread, every message serialised, in an order that a seed decides (`--machine
/// deterministic`).
class deterministic_machine final : public stepping_machine {
 public:
  deterministic_machine(const options& settings, local_run& run);

  delivery_rules rules() const override { return {.direct = false, .separates_broadcasts = true}; }
  transport& wire_of(int /*pe*/) override { return wire_; }
  void connect(bool may_spin, scheduler* comm_thread) override;
  void run() override;
  void discard() noexcept override { wire_.discard(); }

  /// Delivers one message in flight, or resumes an entry that a message has made ready. False when the run
  /// has ended.
  bool step();
  /// The messages in flight.
  const delayed_transport& wire() const { return wire_; }

 private:
  void step_one(processor& pe);
  /// The PE whose timer is the first to be due; null if there is none.
  processor* first_by_timers();
  /// Makes all PEs process the completions of their devices. True if there were any.
  bool look_at_devices();
  void advance_devices(nanoseconds moment);
  void advance_to_timer(processor& of);

  delayed_transport wire_;
};

}  // namespace imbrex::detail
