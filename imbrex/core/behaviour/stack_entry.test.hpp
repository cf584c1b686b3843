// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/core/extension/fiber.hpp>
#include <imbrex/coro/await_by.hpp>
#include <imbrex/coro/entry_body.hpp>

namespace imbrex::stack_test {

/// The body of an entry that runs on a stack of its own, as used by a front end whose entries are no
/// coroutines.
class stack {
 public:
  explicit stack(std::function<void(stack&)> run);
  virtual ~stack();
  stack(const stack&) = delete;
  stack& operator=(const stack&) = delete;

  /// Call on the stack: waits for anything that an entry can co_await.
  template <class A>
  detail::await_result<A> await(A&& awaitable) {
    return await_by(std::forward<A>(awaitable), waiter(&resume, this), *entry_, [this] { leave(); });
  }

  bool start(scope& entry, const waiter& awaiter);
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }

  /// Number of existing stacks.
  static int count();

 private:
  /// Thrown to unwind a stack that is dropped.
  struct dropped {};

  static void resume(void* self);
  void leave();
  void run_here() noexcept;

  std::function<void(stack&)> run_;
  extension::fiber fiber_;
  scope* entry_ = nullptr;
  waiter awaiter_;
  std::exception_ptr error_;
  bool is_dropped_ = false;
};

/// The result type of an entry whose body runs on a stack.
template <class R = void>
class stack_entry {
 public:
  struct body final : stack {
    using stack::stack;
    std::optional<detail::storable<R>> result;
  };

  template <class F>
  stack_entry(F function)
      : body_(std::make_unique<body>([function = std::move(function)](stack& here) mutable {
          auto& its = static_cast<body&>(here);
          if constexpr (std::is_void_v<R>) {
            function(here);
            its.result.emplace();
          } else {
            its.result.emplace(function(here));
          }
        })) {}
  stack* release() { return body_.release(); }

 private:
  std::unique_ptr<body> body_;
};

}  // namespace imbrex::stack_test

template <class R>
struct imbrex::entry_body<imbrex::stack_test::stack_entry<R>> {
  using result = R;
  using stack = stack_test::stack;

  static void* release(stack_test::stack_entry<R>&& entry) { return entry.release(); }
  static bool start(void* body, scope& entry, const waiter& awaiter) {
    return static_cast<stack*>(body)->start(entry, awaiter);
  }
  static std::exception_ptr take_error(void* body) { return static_cast<stack*>(body)->take_error(); }
  static detail::storable<R> take_result(void* body) {
    return std::move(
        *static_cast<typename stack_test::stack_entry<R>::body*>(static_cast<stack*>(body))->result);
  }
  static void destroy(void* body) noexcept { delete static_cast<stack*>(body); }
  static std::string place(const void*) { return "its stack"; }
  static constexpr body_kind kind{&destroy, true, &place};
};
