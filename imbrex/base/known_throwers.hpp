// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace imbrex {

/// The throwers of exceptions that were passed to other code: the last few. They are text, since the
/// exceptions themselves may be destroyed by another thread.
class known_throwers {
 public:
  known_throwers() = default;
  known_throwers(const known_throwers&) = delete;
  known_throwers& operator=(const known_throwers&) = delete;
  ~known_throwers() {
    if (list_ != nullptr) [[unlikely]]
      drop();
  }

  void add(const std::exception_ptr& thrown, std::string thrower);
  /// The thrower of this exception. Nothing if it was not added, or is no std::exception, which cannot be
  /// identified.
  std::optional<std::string> thrower_of(const std::exception_ptr& thrown) const;

 private:
  static constexpr std::size_t most = 16;

  struct exception;
  static exception seen_from_outside(const std::exception_ptr& thrown);
  void drop() noexcept;

  struct list;
  list* list_ = nullptr;  ///< null if there are none
};

}  // namespace imbrex
