// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/tools/trace/page/timeline.hpp>
#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// The data of a run's timeline for the page's script, as a JSON object. Long lists are arrays of small
/// numbers, little-endian, in base64.
std::string timeline_json(const timeline& of, const run_report& run);

/// A self-contained HTML page for one run, or to compare two. `timelines[k]` belongs to `runs[k]`.
std::string report_page(std::span<const run_report> runs,
                        std::span<const std::unique_ptr<timeline>> timelines);

}  // namespace imbrex::tools
