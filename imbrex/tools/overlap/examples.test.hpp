// SPDX-License-Identifier: Apache-2.0
// The paper's programs, read from the installed example file.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include <imbrex/tools/overlap/input.hpp>

namespace imbrex::overlap::test {

inline const std::vector<application>& paper_programs() {
  static const auto all = read_applications(IMBREX_OVERLAP_EXAMPLES "/sancho2006.toml");
  return all;
}

inline const application& paper_program(std::string_view name) {
  return *std::ranges::find(paper_programs(), name, &application::name);
}

inline const datum& paper_datum(std::string_view program, std::string_view name) {
  return *std::ranges::find(paper_program(program).data, name, &datum::name);
}

inline network over(double latency_us, double bandwidth) {
  return {.latency = microseconds(latency_us), .bandwidth = bandwidth};
}

}  // namespace imbrex::overlap::test
