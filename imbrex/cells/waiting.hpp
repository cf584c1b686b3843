// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whoever waits for cells of a set. All of it is the chare's PE's.

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>

namespace imbrex::cells::detail {

/// What is waited for.
struct condition {
  enum class kind : std::uint8_t {
    moved_cell,   ///< all elements that move to an own cell have come
    moved_all,    ///< the same of all own cells
    cached_cell,  ///< an own cell as above; or the copy of another has come
    cached_all,   ///< all of these, and what others want has been sent
    refreshed,    ///< values of all elements of the halo have come
    news          ///< anything has come since `phase`, a count
  };
  kind what = kind::news;
  std::int64_t phase = 0;
  std::size_t cell = 0;
};

class wait;

/// Knows what has come, and who waits.
class arrivals {
 public:
  arrivals() = default;
  arrivals(const arrivals&) = delete;
  arrivals& operator=(const arrivals&) = delete;

  /// Throws imbrex::error if what has come cannot be.
  virtual bool is_there(const condition& c) const = 0;
  virtual std::string missing_text(const condition& c) const = 0;

 protected:
  ~arrivals() {
    if (is_gone_ != nullptr) *is_gone_ = true;
  }
  /// Resumes all whose condition holds. This may be no more when it returns.
  void wake();

 private:
  friend wait;
  wait* first_ = nullptr;
  bool* is_gone_ = nullptr;
};

/// An awaiter.
class wait : public suspension {
 public:
  wait(arrivals& of, const condition& c) : of_(of), condition_(c) {}
  /// Only before it is awaited.
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

/// One that gives nothing.
class plain_wait final : public wait {
 public:
  using wait::wait;
};

}  // namespace imbrex::cells::detail
