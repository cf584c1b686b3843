// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/error.hpp>

/// Parsers of option values.
namespace jacobi2d {

inline int number_of(std::string_view option, const std::string& text) {
  std::size_t used = 0;
  int n = 0;
  try {
    n = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || n < 0)
    throw imbrex::usage_error(std::string(option) + " takes a number, not \"" + text + "\"");
  return n;
}

inline std::vector<int> numbers_of(std::string_view option, const std::string& text) {
  std::vector<int> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    all.push_back(number_of(option, text.substr(at, comma - at)));
    at = comma + 1;
  }
  return all;
}

}  // namespace jacobi2d
