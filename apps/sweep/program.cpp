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

void print(const settings& setup, const std::string& text) {
  if (!setup.quiet) harness::write_output(text);
}

// Prints the line of all checks; false if a check found a difference.
bool report_checks(const settings& setup, const std::vector<finished>& all) {
  std::vector<harness::checked> checks;
  for (const auto& outcome : all)
    checks.push_back({fmt::format("ODF {:g}", outcome.chosen.odf), &*outcome.result.check});
  const std::string line = harness::check_line(checks);
  if (!line.empty()) print(setup, line);
  return !line.empty();
}

int run_all(const settings& setup) {
  const std::vector<configuration> configurations = plan(setup, harness::available_memory());
  std::ofstream json = harness::open_json(setup.json);
  std::optional<serial_solver> serial;
  if (setup.check) serial.emplace(setup.posed.grid, setup.posed.angles_per_octant);

  print(setup, table_head(setup));
  std::vector<finished> all;
  for (const auto& chosen : configurations) {
    measurement result;
    const int status = measure(setup, chosen, serial ? &*serial : nullptr, result);
    if (status != 0) return status;
    all.push_back({chosen, result});
    print(setup, table_row(setup, all.back()));
    harness::write_json(json, setup.json, json_line(setup, all.back()));
  }
  return setup.check && !report_checks(setup, all) ? 1 : 0;
}

// All processes run the same configurations; the first one measures and reports.
int take_part(const settings& setup) {
  for (const auto& chosen : plan(setup, harness::available_memory())) {
    measurement nothing;
    const int status = measure(setup, chosen, nullptr, nothing);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace

int program(int argc, char** argv) {
  return harness::run_program("sweep", [&] {
    const settings setup = parse_settings(argc, argv);
    if (setup.help.empty()) return imbrex::process() == 0 ? run_all(setup) : take_part(setup);
    if (imbrex::process() == 0) harness::write_output(setup.help);
    return 0;
  });
}

}  // namespace sweep
