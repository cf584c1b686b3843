// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// What a trace tells of a run, as tables.
std::string report_text(const run_report& run);
/// The figures of two runs and their ratios, side by side.
std::string comparison_text(const run_report& one, const run_report& other);

}  // namespace imbrex::tools
