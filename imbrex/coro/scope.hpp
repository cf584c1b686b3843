// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/known_throwers.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex {

struct scope;

/// What a suspended entry waits for, in the words of a trace.
struct awaited {
  trace::wait_cause cause = trace::wait_cause::other;
  std::int64_t reference = 0;  ///< of a message; of a timer the time in ns
};

/// What one waiter of an entry waits for. Awaiters derive from it, so that a deadlock report can say who
/// waits for what. It is linked into its entry's scope from suspension to resumption, or until the frame that
/// holds it is destroyed.
class suspension {
 public:
  suspension() = default;
  suspension(const suspension&) = delete;
  suspension& operator=(const suspension&) = delete;

  /// What is waited for, such as "halo with reference 3".
  virtual std::string description() const = 0;
  virtual awaited cause() const { return {}; }
  /// True if the entry's chare may move to another PE of this process meanwhile: what is waited for lies with
  /// the chare, not with the PE.
  virtual bool can_move() const { return false; }

  inline void begin(scope& entry);
  /// The waiter goes on.
  void end() {
    if (!leave_entry()) return;
    if (const auto* const observers = observer_list::here()) [[unlikely]]
      observers->resumed(*this);
  }
  const suspension* next() const { return next_; }
  /// The entry that waits; from `begin` on.
  scope& entry() const { return *entry_; }

 protected:
  ~suspension() {
    if (!leave_entry()) return;
    if (const auto* const observers = observer_list::here()) [[unlikely]]
      observers->abandoned(*entry_, cause_);
  }
  /// False if it was not linked there.
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
  trace::wait_cause cause_ = trace::wait_cause::other;  ///< if somebody wanted to know
};

/// What the body of an entry is: the frame of a coroutine, or a front end's own, such as a stack.
struct body_kind {
  void (*destroy)(void* body) noexcept;
  /// True if the chare may move to another PE of this process while the entry waits for nothing but what can
  /// (`suspension::can_move`). The frame of a coroutine cannot: its code may know the PE that it runs on.
  bool can_move;
  /// Where the code of the body waits, such as "prog.py:12, in run", for deadlock reports. Null where nobody
  /// knows it, as of coroutines.
  std::string (*place)(const void* body) = nullptr;
};

/// One entry method that has begun and not ended: its body, all tasks it awaits, and the message that it came
/// from, whose arguments live as long as the scope does. Its chare's PE's.
struct scope {
  scope* next = nullptr;  ///< among those of the same chare
  scope* previous = nullptr;
  void* chare = nullptr;  ///< whose entry it is; null for the main task
  detail::work* request = nullptr;
  void* body = nullptr;  ///< the object of its `waiter` when it waits itself, not a task that it awaits
  const body_kind* kind = nullptr;
  suspension* waits = nullptr;
  std::unique_ptr<known_throwers> throwers;  ///< of exceptions that it was given; null if there were none

  /// Who threw an exception that it was given; nothing if it was not given that.
  std::optional<std::string> thrower_of(const std::exception_ptr& thrown) const {
    return throwers ? throwers->thrower_of(thrown) : std::nullopt;
  }
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
