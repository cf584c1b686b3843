// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// A report as text tables.
std::string report_text(const run_report& run);
/// Two reports and the ratios of their figures, side by side.
std::string comparison_text(const run_report& one, const run_report& other);

}  // namespace imbrex::tools
