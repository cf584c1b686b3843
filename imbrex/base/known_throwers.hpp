// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace imbrex {

/// Who threw the exceptions that somebody was given by others: the last few, as text, since the exceptions
/// themselves may be another thread's to destroy.
class known_throwers {
 public:
  void add(const std::exception_ptr& given, std::string thrower);
  /// Who threw this exception. Nothing if it was not given, or cannot be told from others since it is no
  /// std::exception.
  std::optional<std::string> thrower_of(const std::exception_ptr& thrown) const;

 private:
  static constexpr std::size_t most = 16;

  struct exception {
    const void* object = nullptr;  ///< never looked into; null for what is no std::exception
    std::string type;
    std::string text;
    std::string thrower;
  };
  static exception seen_from_outside(const std::exception_ptr& thrown);

  std::vector<exception> given_;  ///< the oldest first
};

}  // namespace imbrex
