// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <utility>

namespace imbrex::mpi {

class schedule;

/// One member's part of a collective operation: a coroutine that its schedule resumes after each round of
/// sends and receives. Its first parameter is the schedule. It may await other plans of the same schedule.
class [[nodiscard]] plan {
 public:
  struct promise_type;
  using handle = std::coroutine_handle<promise_type>;

  plan() = default;
  explicit plan(handle body) : body_(body) {}
  plan(plan&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  plan& operator=(plan&& other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~plan() {
    if (body_) body_.destroy();
  }

  handle body() const { return body_; }

  // For co_await: the awaiting plan goes on when this plan has ended.
  bool await_ready() const noexcept { return false; }
  void await_suspend(handle outer) noexcept;
  void await_resume() const noexcept {}

 private:
  handle body_;
};

}  // namespace imbrex::mpi
