// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/program.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/harness/memory.hpp"
#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/jacobi3d/report.hpp"

namespace jacobi3d {
namespace {

void print(const settings& asked, const std::string& text) {
  if (!asked.quiet) harness::write_output(text);
}

platform machine_of(const settings& asked) {
  if (asked.processes > 1) return {.machine = "processes", .processes = asked.processes, .plain_loop = false};
  return {.machine = std::string(imbrex::name(asked.machine.machine))};
}

platform platform_of(const settings& asked) {
  platform where = machine_of(asked);
  // A loop on processors would say nothing about a device, simulated time, or what waits for the clock.
  if (!asked.machine.device.empty() || asked.spin.count() > 0 ||
      asked.machine.machine == imbrex::machine_kind::simulated)
    where.plain_loop = false;
  return where;
}

std::vector<configuration> planned(const settings& asked) {
  return plan(asked,
              asked.machine.device_data ? available_memory() : std::numeric_limits<std::uint64_t>::max());
}

// The line of all checks; false if one found a difference.
bool report_checks(const settings& asked, const std::vector<finished>& all) {
  std::vector<harness::checked> checks;
  for (const auto& outcome : all)
    checks.push_back({fmt::format("ODF {}", outcome.chosen.odf), &*outcome.result.check});
  const std::string line = harness::check_line(checks);
  if (!line.empty()) print(asked, line);
  return !line.empty();
}

int run_all(const settings& asked) {
  const std::vector<configuration> configurations = planned(asked);
  std::ofstream json = harness::open_json(asked.json);
  const auto values = initial_values::parse(asked.init);
  const platform where = platform_of(asked);
  std::optional<plain_loop> plain;
  if (where.plain_loop) plain.emplace(asked.grid, values, asked.machine.pes);
  std::optional<serial_rival> serial;
  if (asked.check) serial.emplace(asked.grid, values);

  print(asked, table_head(asked, where));
  progress_bar bar(!asked.quiet);
  std::vector<finished> all;
  for (const auto& chosen : configurations) {
    const std::string name = fmt::format("ODF {}", chosen.odf);
    bar.show(name, 0);
    measurement result;
    const int status = measure(
        asked, chosen, plain ? &*plain : nullptr, serial ? &*serial : nullptr,
        [&](double part) { bar.show(name, part); }, result);
    bar.clear();
    if (status != 0) return status;
    all.push_back({chosen, result});
    print(asked, table_row(all.back(), all.front()));
    harness::write_json(json, asked.json, json_line(asked, where, all.back()));
  }
  if (all.size() > 1 && where.plain_loop) print(asked, "\n" + summary(all));
  return asked.check && !report_checks(asked, all) ? 1 : 0;
}

// All processes run the same configurations; the first of them measures and reports.
int take_part(const settings& asked) {
  for (const auto& chosen : planned(asked)) {
    measurement nothing;
    const int status = measure(asked, chosen, nullptr, nullptr, {}, nothing);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace

int program(int argc, char** argv) {
  return harness::run_program("jacobi3d", [&] {
    const settings asked = parse_settings(argc, argv);
    if (asked.help.empty()) return imbrex::process() == 0 ? run_all(asked) : take_part(asked);
    if (imbrex::process() == 0) harness::write_output(asked.help);
    return 0;
  });
}

}  // namespace jacobi3d
