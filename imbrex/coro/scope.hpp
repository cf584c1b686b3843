// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/known_throwers.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex {

struct scope;

/// Cause of an entry's suspension, in the terms of a trace.
struct awaited {
  trace::wait_cause cause = trace::wait_cause::other;
  std::int64_t reference = 0;  ///< reference number of a message; time of a timer in ns
};

/// Awaited object of one waiter of an entry. Awaiters derive from it, so that a deadlock report can list
/// waiters and their causes. It is linked into its entry's scope from suspension to resumption, or until the
/// frame that holds it is destroyed.
class suspension {
 public:
  suspension() = default;
  suspension(const suspension&) = delete;
  suspension& operator=(const suspension&) = delete;

  /// Description of the awaited object, such as "halo with reference 3".
  virtual std::string description() const = 0;
  virtual awaited cause() const { return {}; }
  /// True if the entry's chare may move to another PE of this process meanwhile: the awaited object lies with
  /// the chare, not with the PE.
  virtual bool can_move() const { return false; }

  inline void begin(scope& entry);
  /// Ends the suspension: the waiter goes on.
  void end() {
    if (!leave_entry()) return;
    if (const auto* const observers = observer_list::here()) [[unlikely]]
      observers->resumed(*this);
  }
  suspension* next() const { return next_; }
  /// Entry that waits; valid from `begin` on.
  scope& entry() const { return *entry_; }

 protected:
  ~suspension() {
    if (!leave_entry()) return;
    if (const auto* const observers = observer_list::here()) [[unlikely]]
      observers->abandoned(*entry_, cause_);
  }
  /// Unlinks the suspension from its entry. False if it was not linked.
  bool leave_entry() {
    if (link_ == nullptr) return false;
    *link_ = next_;
    if (next_ != nullptr) next_->link_ = link_;
    link_ = nullptr;
    return true;
  }

 private:
  suspension* next_ = nullptr;
  suspension** link_ = nullptr;
  scope* entry_ = nullptr;
  trace::wait_cause cause_ = trace::wait_cause::other;  ///< set if there are observers
};

/// Kind of an entry's body: the frame of a coroutine, or a front end's own kind, such as a stack.
struct body_kind {
  void (*destroy)(void* body) noexcept;
  /// True if the chare may move to another PE of this process while all waits of the entry can
  /// (`suspension::can_move`). The frame of a coroutine cannot move: its code may know the PE that it runs
  /// on.
  bool can_move;
  /// Source position at which the body's code waits, such as "prog.py:12, in run", for deadlock reports. Null
  /// if it is unknown, as for coroutines.
  std::string (*place)(const void* body) = nullptr;
};

/// One entry method that has begun and not ended: its body, all tasks it awaits, and its message. The
/// message's arguments live as long as the scope does. Only the chare's PE touches it.
struct scope {
  scope* next = nullptr;  ///< links of the list of scopes of one chare
  scope* previous = nullptr;
  void* chare = nullptr;  ///< chare of the entry; null for the main task
  detail::work* request = nullptr;
  void* body = nullptr;  ///< the object of its `waiter`, if the body itself waits and not a task that it
                         ///< awaits
  const body_kind* kind = nullptr;
  suspension* waits = nullptr;
  known_throwers throwers;  ///< throwers of the exceptions that the entry has received
};

inline void suspension::begin(scope& entry) {
  entry_ = &entry;
  next_ = entry.waits;
  link_ = &entry.waits;
  if (next_ != nullptr) next_->link_ = &next_;
  entry.waits = this;
  if (const auto* const observers = observer_list::here()) [[unlikely]] {
    cause_ = cause().cause;
    observers->suspended(*this);
  }
}

}  // namespace imbrex
