// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// The reports of one or more runs as one line of JSON: {"runs": [...]}, and for two runs also {"compared":
/// {...}}. Times are in ns.
std::string report_json(std::span<const run_report> runs);

}  // namespace imbrex::tools
