// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

namespace imbrex::endpoints {

/// Keeps exceptions that callbacks throw until the calling fabric has returned, since they must not pass
/// through it.
class callback_guard {
 public:
  /// Calls a function that may throw; does nothing after `close`.
  template <class Function>
  [[gnu::always_inline]] void call(const Function& function) noexcept {
    if (closed_) return;
    try {
      function();
    } catch (...) {
      if (!problem_) problem_ = std::current_exception();
    }
  }
  /// Throws the first exception kept since the last call.
  void rethrow() {
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }
  /// Disables all further calls.
  void close() { closed_ = true; }
  bool is_closed() const { return closed_; }

 private:
  bool closed_ = false;
  std::exception_ptr problem_;
};

}  // namespace imbrex::endpoints
