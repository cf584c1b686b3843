// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <variant>

#include <imbrex/tools/job.hpp>

namespace imbrex::tools {

/// Reads what stands behind `imbrex run`, or gives the text to print for --help. Throws `usage_error`.
std::variant<job_settings, std::string> parse_run(std::span<const std::string> words);

/// Reads words behind `imbrex mpiexec`, whose -n counts ranks, likewise.
std::variant<job_settings, std::string> parse_mpiexec(std::span<const std::string> words);

}  // namespace imbrex::tools
