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

/// How long a process waits for the others: 30 s, or the seconds that IMBREX_PATIENCE names. Throws
/// `usage_error` unless these are a number from 0.001 to 86400.
std::chrono::milliseconds environment_patience();

/// The seconds in an environment variable, or `otherwise` if it is not set: 0 or from `least` to a day.
/// Throws `usage_error`, with what they are (`meaning`), for anything else.
std::chrono::milliseconds environment_seconds(const char* name, std::chrono::milliseconds otherwise,
                                              double least, const char* meaning);

/// "30 s", "0.5 s".
std::string in_seconds(std::chrono::milliseconds time);

}  // namespace imbrex
