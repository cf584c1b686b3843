// SPDX-License-Identifier: Apache-2.0
#pragma once
// Waiting for the cells of a set. Only the chare's PE touches any of this.

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>

namespace imbrex::cells::detail {

/// Condition that a waiter waits for.
struct condition {
  enum class kind : std::uint8_t {
    moved_cell,   ///< all elements that move to an own cell have arrived
    moved_all,    ///< all elements that move to any own cell have arrived
    cached_cell,  ///< own cell: as moved_cell; other cell: its copy has arrived
    cached_all,   ///< as cached_cell, for all cells; and all copies for other blocks have been sent
    refreshed,    ///< values of all elements of the halo have arrived
    news          ///< something has arrived since `phase`, a count
  };
  kind what = kind::news;
  std::int64_t phase = 0;
  std::size_t cell = 0;
};

class wait;

/// State of arrivals, and the list of waiters.
class arrivals {
 public:
  arrivals() = default;
  arrivals(const arrivals&) = delete;
  arrivals& operator=(const arrivals&) = delete;

  /// True if the condition holds. Throws imbrex::error if an invalid message has arrived.
  virtual bool is_there(const condition& c) const = 0;
  virtual std::string missing_text(const condition& c) const = 0;

 protected:
  ~arrivals() {
    if (is_destroyed_ != nullptr) *is_destroyed_ = true;
  }
  /// Resumes all waiters whose condition holds. A resumed waiter may destroy this object.
  void wake();

 private:
  friend wait;
  wait* first_ = nullptr;
  bool* is_destroyed_ = nullptr;
};

/// Awaiter of a condition.
class wait : public suspension {
 public:
  wait(arrivals& of, const condition& c) : of_(of), condition_(c) {}
  /// Moves a waiter that is not awaited yet.
  wait(wait&& other) noexcept : of_(other.of_), condition_(other.condition_) {}

  bool await_ready() const { return of_.is_there(condition_); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry);
  void await_resume();

  std::string description() const final;
  awaited cause() const final;

 protected:
  ~wait() { leave(); }
  arrivals& of() const { return of_; }
  const condition& what() const { return condition_; }

 private:
  friend arrivals;
  void leave() {
    if (before_ == nullptr) return;
    *before_ = later_;
    if (later_ != nullptr) later_->before_ = before_;
    before_ = nullptr;
  }

  arrivals& of_;
  condition condition_;
  wait* later_ = nullptr;
  wait** before_ = nullptr;
  waiter waiter_;
};

/// Awaiter without a result.
class plain_wait final : public wait {
 public:
  using wait::wait;
};

}  // namespace imbrex::cells::detail
