// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace imbrex {

/// The variable's text; null if it is not set.
const char* environment_text(const char* name);

/// The variable's value if it is set. Throws `usage_error` unless it is a whole number in the range.
std::optional<int> environment_number(const char* name, int least, int most);

/// The patience of this process with the others: 30 s, or the seconds in IMBREX_PATIENCE. Throws
/// `usage_error` unless these are a number from 0.001 to 86400.
std::chrono::milliseconds environment_patience();

/// The seconds in an environment variable, or `otherwise` if it is not set: 0 or from `least` to a day.
/// Throws `usage_error` for any other value; its text names the variable's `meaning`.
std::chrono::milliseconds environment_seconds(const char* name, std::chrono::milliseconds otherwise,
                                              double least, const char* meaning);

/// The time as text: "30 s", "0.5 s".
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace imbrex
