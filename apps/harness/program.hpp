// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace harness {

/// Runs a program. An exception becomes one line on standard error, after the program's name. Returns the
/// exit status: the body's, 2 for a wrong command line, 1 for any other exception.
int run_program(std::string_view name, const std::function<int()>& body);

}  // namespace harness
