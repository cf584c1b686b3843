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

/// What the code on a PE asks of its run. Any PE's thread.
class run_services {
 public:
  virtual const options& how() const = 0;
  virtual int process() const = 0;
  virtual int processes() const = 0;
  /// True if the PE is of this process.
  virtual bool holds(int pe) const = 0;
  /// The first PE of each host, ascending from 0.
  virtual std::span<const int> host_starts() const = 0;
  /// The first PE of each process, ascending from 0.
  virtual std::span<const int> process_starts() const = 0;

  /// Ends the run in all processes with that status, unless it is ending. Throws imbrex::error for a status
  /// that would be seen as another.
  virtual void exit(int status) = 0;
  /// Says why, and ends the run in all processes, unless it is ending.
  virtual void fail(std::string_view text, int status = 1) = 0;
  /// An exception left what ran on a PE; it is the current one.
  virtual void on_uncaught(int pe) noexcept = 0;
  /// An exception has come to one answer of several on a PE, and waits for the others: if it waits for long,
  /// people are told.
  virtual void exception_waits() noexcept = 0;
  /// On PE 0: somebody waits for quiescence.
  virtual void await_quiescence(int pe, const reply_address& reply) = 0;

  /// Through which threads that are no PE post.
  virtual const std::shared_ptr<executor_gate>& gate() const = 0;

  /// A number that no other array or group has, in any process.
  virtual std::uint64_t new_collection() = 0;
  /// That array has ended, and another may have its place.
  virtual void give_back(std::uint64_t collection) = 0;

  virtual run_devices& devices() const = 0;
  /// What things take in simulated time; null in real time.
  virtual const device_model* model() const = 0;
  /// Null if the run is not traced.
  virtual run_recording* recording() const = 0;

 protected:
  ~run_services() = default;
};

}  // namespace detail
}  // namespace imbrex
