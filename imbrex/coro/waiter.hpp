// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

namespace imbrex {

/// A waiter: a function, and the object that it resumes. The object is a suspended coroutine, a stack that
/// was switched away from, or a frame of another language.
class waiter {
 public:
  using function = void (*)(void* object);

  waiter() = default;
  waiter(function resume, void* object) : resume_(resume), object_(object) {}
  explicit waiter(std::coroutine_handle<> suspended)
      : resume_(&resume_coroutine), object_(suspended.address()) {}

  /// False if there is no waiter.
  explicit operator bool() const { return resume_ != nullptr; }
  /// Resumes the waiter; returns when it waits again or has ended.
  void resume() const { resume_(object_); }
  /// Object to resume; for a coroutine, the address of its frame.
  void* object() const { return object_; }

 private:
  static void resume_coroutine(void* frame) { std::coroutine_handle<>::from_address(frame).resume(); }

  function resume_ = nullptr;
  void* object_ = nullptr;
};

}  // namespace imbrex
