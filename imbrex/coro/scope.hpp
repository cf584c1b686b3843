// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/known_throwers.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex {

struct work;
struct scope;
class suspension;

/// Who is told when coroutines begin to wait and when they go on, on one thread.
class suspension_observer {
 public:
  virtual void suspended(const suspension& what) = 0;
  virtual void resumed(const suspension& what) = 0;
  /// The coroutine that waited was destroyed; of what it waited for only the cause is left.
  virtual void abandoned(const scope& entry, trace::wait_cause cause) = 0;
  /// A coroutine takes the value that a message brought for this reference number.
  virtual void received(const work& message, std::int64_t reference) = 0;
  /// What runs adds its part to what several make together, or if it `completes`, all parts are there.
  virtual void gathered(const void* whole, std::uint64_t number, bool completes) = 0;

  /// Null if nobody wants to know.
  static suspension_observer* current() { return current_; }
  /// Returns who was it before.
  static suspension_observer* set_current(suspension_observer* told) { return std::exchange(current_, told); }

 protected:
  ~suspension_observer() = default;

 private:
  static inline constinit thread_local suspension_observer* current_ = nullptr;
};

/// Tells of something that several make together on this thread; `whole` and `number` name it until it is complete.
inline void tell_part(const void* whole, std::uint64_t number) {
  if (auto* told = suspension_observer::current()) [[unlikely]]
    told->gathered(whole, number, false);
}
inline void tell_complete(const void* whole, std::uint64_t number) {
  if (auto* told = suspension_observer::current()) [[unlikely]]
    told->gathered(whole, number, true);
}

/// What a suspended coroutine waits for, in the words of a trace.
struct awaited {
  trace::wait_cause cause = trace::wait_cause::other;
  std::int64_t reference = 0;  ///< of a message; of a timer the time in ns
};

/// What one suspended coroutine waits for. Awaiters derive from it, so that a deadlock report can say who
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
  /// True if the entry's chare may move to another PE of this process meanwhile: what is waited for lies with the chare,
  /// not with the PE.
  virtual bool can_move() const { return false; }

  inline void begin(scope& entry);
  /// The coroutine goes on.
  void end() {
    if (link_ == nullptr) return;
    leave();
    if (auto* told = suspension_observer::current()) [[unlikely]]
      told->resumed(*this);
  }
  const suspension* next() const { return next_; }
  /// The entry that waits; from `begin` on.
  scope& entry() const { return *entry_; }

 protected:
  ~suspension() {
    if (link_ == nullptr) return;
    leave();
    if (auto* told = suspension_observer::current()) [[unlikely]]
      told->abandoned(*entry_, cause_);
  }

 private:
  void leave() {
    *link_ = next_;
    if (next_ != nullptr) next_->link_ = link_;
    link_ = nullptr;
  }

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
};

/// One entry method that has begun and not ended: its body, all tasks it awaits, and the message that it came
/// from, whose arguments live as long as the scope does. One PE.
struct scope {
  scope* next = nullptr;  ///< among those of the same chare
  scope* previous = nullptr;
  void* chare = nullptr;  ///< whose entry it is; null for the main task
  work* request = nullptr;
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
  if (auto* told = suspension_observer::current()) [[unlikely]] {
    cause_ = cause().cause;
    told->suspended(*this);
  }
}

}  // namespace imbrex
