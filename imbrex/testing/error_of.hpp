// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace imbrex::testing {

/// Calls `f()`. Returns the text of the exception of type E, or derived from it, that the call throws; empty
/// if it throws none. Other exceptions pass through.
///
///     EXPECT_EQ(error_of([] { parse("3 apples"); }), "3 apples is no number");
template <class E = std::exception, class Function>
std::string error_of(Function&& f) {
  try {
    static_cast<void>(f());
  } catch (const E& e) {
    return e.what();
  }
  return {};
}

}  // namespace imbrex::testing
