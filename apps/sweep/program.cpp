// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/program.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "apps/harness/memory.hpp"
#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/sweep/report.hpp"

namespace sweep {
namespace {

void print(const settings& asked, const std::string& text) {
  if (!asked.quiet) harness::write_output(text);
}

// The line of all checks; false if one found a difference.
bool report_checks(const settings& asked, const std::vector<finished>& all) {
  std::vector<harness::checked> checks;
  for (const auto& outcome : all)
    checks.push_back({fmt::format("ODF {:g}", outcome.chosen.odf), &*outcome.result.check});
  const std::string line = harness::check_line(checks);
  if (!line.empty()) print(asked, line);
  return !line.empty();
}

int run_all(const settings& asked) {
  const std::vector<configuration> configurations = plan(asked, harness::available_memory());
  std::ofstream json = harness::open_json(asked.json);
  std::optional<serial_solver> serial;
  if (asked.check) serial.emplace(asked.posed.grid, asked.posed.angles_per_octant);

  print(asked, table_head(asked));
  std::vector<finished> all;
  for (const auto& chosen : configurations) {
    measurement result;
    const int status = measure(asked, chosen, serial ? &*serial : nullptr, result);
    if (status != 0) return status;
    all.push_back({chosen, result});
    print(asked, table_row(asked, all.back()));
    harness::write_json(json, asked.json, json_line(asked, all.back()));
  }
  return asked.check && !report_checks(asked, all) ? 1 : 0;
}

// All processes run the same configurations; the first of them measures and reports.
int take_part(const settings& asked) {
  for (const auto& chosen : plan(asked, harness::available_memory())) {
    measurement nothing;
    const int status = measure(asked, chosen, nullptr, nothing);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace

int program(int argc, char** argv) {
  return harness::run_program("sweep", [&] {
    const settings asked = parse_settings(argc, argv);
    if (asked.help.empty()) return imbrex::process() == 0 ? run_all(asked) : take_part(asked);
    if (imbrex::process() == 0) harness::write_output(asked.help);
    return 0;
  });
}

}  // namespace sweep
