// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace harness {

/// What a program said on its standard error output, but for what it says of too few processors: machines that
/// test have few.
inline std::string without_word_of_processors(std::string errors) {
  const std::size_t word = errors.find("processors of this host: each waits");
  if (word == std::string::npos) return errors;
  const std::size_t before = errors.rfind('\n', word);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return errors.erase(begin, errors.find('\n', word) + 1 - begin);
}

}  // namespace harness
