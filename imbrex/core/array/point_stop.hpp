// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/chare_header.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::detail {

/// An entry that a stop holds at its balance point. Its frame stays.
class stopped_entry final : public work, public suspension {
 public:
  /// `restart`: begins the entry anew; null for a body that moves with its chare.
  stopped_entry(const waiter& who, message* restart, scope& entry);
  ~stopped_entry();

  chare_header& element() const { return *static_cast<chare_header*>(entry().chare); }
  /// The message that begins the entry anew; null for a body that moves with its chare.
  message* restart() const { return restart_; }
  std::string description() const override { return "the end of a stop at its balance point"; }

 private:
  friend class point_stop;

  static void run(work& item);
  static void forget(work& item) noexcept;
  static const work_type kind;

  waiter waiter_;  ///< empty once the entry has been dropped
  message* restart_;
  std::size_t slot_ = 0;  ///< index among the entries of its stop
  bool is_queued_ = false;
};

/// The stop of a PE's elements at their balance points, until all PEs have become quiet: for checkpoints, and
/// for a balancer that moves elements together. A `local` object of its PE.
class point_stop {
 public:
  point_stop() = default;
  point_stop(const point_stop&) = delete;
  point_stop& operator=(const point_stop&) = delete;
  ~point_stop();

  /// Stops the elements of this PE at their next balance points. Elements that arrive, or are made
  /// meanwhile, stop, too.
  void begin();
  /// Stops the elements of a new array if others are stopped.
  void begin_for(local_array& part) const;
  /// Lets the stopped entries go on. An element that has been asked to leave meanwhile leaves.
  void end();
  /// Lets the stopped entries go on to their next balance points.
  void step();
  /// Lets the stopped entries of one element go on.
  void step(const chare_header& element);
  /// True between `begin` and `end`.
  bool is_active() const { return is_active_; }
  const std::vector<stopped_entry*>& entries() const { return entries_; }
  /// The stopped entries of an element.
  static std::vector<stopped_entry*> entries_of(const chare_header& element);

  /// Stops an entry at its balance point. Takes `restart`.
  void add(const waiter& who, message* restart, scope& entry);
  /// The group of this chare belongs to the runtime: its entries wait while elements stand.
  void leave_out(const chare_header& of_group) { left_out_.push_back(of_group.home); }
  bool leaves_out(const local_array& part) const;
  /// Drops the stopped entries of an element that ends or leaves.
  void drop(const chare_header& element);

 private:
  friend class stopped_entry;

  void take_out(const stopped_entry& entry);
  void go_on(stopped_entry& entry);

  std::vector<stopped_entry*> entries_;  ///< also entries that are queued to go on
  std::vector<const local_array*> left_out_;
  bool is_active_ = false;
};

/// True if the element is to stop at its next balance point.
bool must_stop(const chare_header& element);

}  // namespace imbrex::detail
