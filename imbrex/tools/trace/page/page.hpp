// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <imbrex/tools/trace/page/timeline.hpp>
#include <imbrex/tools/trace/report.hpp>

namespace imbrex::tools {

/// What the script of the page knows of one run's timeline, as an object of JSON. Long lists are arrays of
/// small numbers, little-endian and in base64.
std::string timeline_json(const timeline& of, const run_report& run);

/// One page of HTML for a run, or two to compare, which needs nothing else: `timelines[k]` is that of
/// `runs[k]`.
std::string report_page(std::span<const run_report> runs,
                        std::span<const std::unique_ptr<timeline>> timelines);

}  // namespace imbrex::tools
