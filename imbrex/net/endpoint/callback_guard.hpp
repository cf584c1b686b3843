// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

namespace imbrex::endpoints {

/// Exceptions do not pass through a fabric that calls back: what a callback throws is kept until it has
/// returned.
class callback_guard {
 public:
  /// Calls something that may throw, unless all is over.
  template <class Function>
  [[gnu::always_inline]] void call(const Function& function) noexcept {
    if (closed_) return;
    try {
      function();
    } catch (...) {
      if (!problem_) problem_ = std::current_exception();
    }
  }
  /// Throws what was thrown first since the last time.
  void rethrow() {
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }
  /// From now on nothing is called.
  void close() { closed_ = true; }
  bool is_closed() const { return closed_; }

 private:
  bool closed_ = false;
  std::exception_ptr problem_;
};

}  // namespace imbrex::endpoints
