// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex {

struct device_model;

namespace trace {
class track;
}

namespace detail {

class local_run;

/// Runs the PEs of this process: on threads, or step by step. Only `make_machine` and the checks of options
/// depend on the kind of machine.
///
/// A run makes its machine first, since PEs are made with the machine's clocks. `connect` then gives the
/// machine the PEs, and `wire_of` gives each PE its wire. `run` returns when the run has ended. `finish`
/// destroys on the PEs' threads what must end there, and `discard` destroys the messages that have not
/// arrived.
///
/// Only the thread that made the run calls these functions, except `stop`.
class machine {
 public:
  machine() = default;
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  virtual ~machine() = default;

  /// The time that all PEs share.
  virtual const clock& time() const = 0;
  /// The common clock, if the machine and its devices advance it; null in real time.
  virtual simulated_clock* simulated_time() { return nullptr; }
  /// The clock that a PE's work is charged to; null where PEs are not charged.
  virtual local_clock* charged_clock_of(int /*pe*/) { return nullptr; }
  /// The clock that a PE reads.
  const clock& clock_of(int pe) {
    const local_clock* const charged = charged_clock_of(pe);
    return charged != nullptr ? *charged : time();
  }
  /// The costs that PEs are charged for, and the links between them; null where PEs are not charged.
  virtual const device_model* model() const { return nullptr; }

  /// The number of PEs of each modelled node; 0 if the model has no nodes. After the devices have been made.
  virtual int pes_of_node() const { return 0; }

  /// The pool that the messages of all PEs share; null where each PE has its own.
  virtual pool* memory() { return nullptr; }

  virtual delivery_rules rules() const = 0;
  /// Takes the PEs of the run, and makes their wires. `may_spin`: each has a processor to itself.
  /// `comm_thread`: another scheduler that needs a thread, or null.
  virtual void connect(bool may_spin, scheduler* comm_thread) = 0;
  /// The transport of a PE's messages; after `connect`.
  virtual transport& wire_of(int pe) = 0;
  /// Sets the track for arrivals of messages that no PE has processed yet; before `run`.
  virtual void record_arrivals(trace::track& /*where*/) {}

  /// Runs the PEs until the run has ended. Calls `local_run::quiet` when all PEs are idle, no message is in
  /// flight and no timer is set. Ends the process if a PE does not return. Throws imbrex::error if threads
  /// cannot be created.
  virtual void run() = 0;
  /// Makes `run` return. Any thread, any number of times.
  virtual void stop() = 0;
  /// Makes `run` call `local_run::attend` soon, between two entries. Called in a handler of a signal.
  virtual void interrupt() noexcept = 0;
  /// Calls `last` for each PE in turn, as that PE and on the thread that has run it; these threads then end.
  /// If they have ended, or before `run`, it calls `last` on this thread.
  virtual void finish(const std::function<void(processor& pe)>& last) = 0;
  /// Destroys the messages that have not arrived.
  virtual void discard() noexcept = 0;
  /// The moment of the fault that has ended the run (`--fault`).
  virtual std::optional<machine_moment> fault() const { return std::nullopt; }
};

/// The function that makes a run's machine.
using machine_maker = std::function<std::unique_ptr<machine>(const options& settings, local_run& run)>;

}  // namespace detail
}  // namespace imbrex
