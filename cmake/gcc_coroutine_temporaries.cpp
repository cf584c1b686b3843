// SPDX-License-Identifier: Apache-2.0
// g++ 12 destroys the temporary aggregate twice: the program exits with 1 there, and with 0 otherwise.
#include <coroutine>

namespace {

int live = 0;

struct counted {
  counted() { ++live; }
  counted(const counted&) { ++live; }
  ~counted() { --live; }
};

struct aggregate {
  counted member;
};

struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  struct awaiter {
    bool await_ready() { return true; }
    void await_suspend(std::coroutine_handle<>) {}
    void await_resume() {}
  };
  std::coroutine_handle<promise_type> handle;
};

task::awaiter wait_for(aggregate) { return {}; }

task coroutine() { co_await wait_for(aggregate{counted{}}); }

}  // namespace

int main() {
  task started = coroutine();
  started.handle.resume();
  started.handle.destroy();
  return live == 0 ? 0 : 1;
}
