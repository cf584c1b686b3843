// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>

#include <imbrex/tools/job.hpp>
#include <imbrex/tools/resize_request.hpp>

namespace imbrex::tools {

/// Parses the words after `imbrex run`, or returns the text to print for --help. Throws `usage_error`.
std::variant<job_settings, std::string> parse_run(std::span<const std::string> words);

/// Parses the words after `imbrex mpiexec`, whose -n is the number of ranks; otherwise like `parse_run`.
std::variant<resize_settings, std::string> parse_resize(std::span<const std::string> words);
std::variant<job_settings, std::string> parse_mpiexec(std::span<const std::string> words);

}  // namespace imbrex::tools
