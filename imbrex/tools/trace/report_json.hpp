// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// All that is known of the runs, as one line of JSON: {"runs": [...]}, and of two also {"compared": {...}}.
/// Times are in ns.
std::string report_json(std::span<const run_report> runs);

}  // namespace imbrex::tools
