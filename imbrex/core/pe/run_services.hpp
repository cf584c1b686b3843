// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex {

struct device_model;

namespace detail {

class executor_gate;
class run_devices;
class run_recording;

/// The services of a run to the code on a PE. Any PE's thread.
class run_services {
 public:
  virtual const options& how() const = 0;
  virtual int process() const = 0;
  virtual int processes() const = 0;
  /// True if the PE belongs to this process.
  virtual bool holds(int pe) const = 0;
  /// The first PE of each host, ascending from 0.
  virtual std::span<const int> host_starts() const = 0;
  /// The first PE of each node, ascending from 0: each host, or in simulated time each host of the model.
  virtual std::span<const int> node_starts() const = 0;
  /// The first PE of each process, ascending from 0.
  virtual std::span<const int> process_starts() const = 0;

  /// Ends the run in all processes with this status, unless it is already ending. Throws imbrex::error for a
  /// status that the system would truncate.
  virtual void exit(int status) = 0;
  /// Logs the reason, and ends the run in all processes, unless it is already ending.
  virtual void fail(std::string_view text, int status = 1) = 0;
  /// The run's status in this process; only after its end.
  virtual int status() const = 0;
  /// Handles the current exception, which left code that ran on a PE.
  virtual void on_uncaught(int pe) noexcept = 0;
  /// Called when one of several replies on a PE is an exception that waits for the others. If it waits for
  /// long, it is reported to the user.
  virtual void exception_waits() noexcept = 0;
  /// On PE 0: registers a waiter for quiescence.
  virtual void await_quiescence(int pe, const reply_address& reply) = 0;
  /// On PE 0: registers a waiter of PE 0 for quiescence while elements are stopped at balance points
  /// (`point_stop`). Other waiters wait on until it has its reply.
  virtual void await_quiescence_of_stop(const reply_address& reply) = 0;

  /// The gate through which threads that are no PE post work.
  virtual const std::shared_ptr<executor_gate>& gate() const = 0;

  /// A number that no other array or group has, in any process.
  virtual std::uint64_t new_collection() = 0;
  /// The array has ended, and its place may be reused.
  virtual void give_back(std::uint64_t collection) = 0;

  virtual run_devices& devices() const = 0;
  /// The costs of actions in simulated time; null in real time.
  virtual const device_model* model() const = 0;
  /// Null if the run is not traced.
  virtual run_recording* recording() const = 0;

 protected:
  ~run_services() = default;
};

}  // namespace detail
}  // namespace imbrex
