// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/program.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>
#include <imbrex/io.hpp>

#include "apps/harness/memory.hpp"
#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/jacobi3d/choose_odf.hpp"
#include "apps/jacobi3d/report.hpp"

namespace jacobi3d {
namespace {

void print(const settings& setup, const std::string& text) {
  if (!setup.quiet) harness::write_output(text);
}

platform machine_of(const settings& setup) {
  if (setup.processes > 1) return {.machine = "processes", .processes = setup.processes, .plain_loop = false};
  return {.machine = std::string(imbrex::option_word(setup.machine.machine))};
}

platform platform_of(const settings& setup) {
  platform where = machine_of(setup);
  // The loop on processors is no reference for devices, simulated time, or sweeps with a minimal time.
  if (!setup.machine.device.empty() || setup.spin.count() > 0 ||
      setup.machine.machine == imbrex::machine_kind::simulated)
    where.plain_loop = false;
  return where;
}

std::vector<configuration> planned(const settings& setup) {
  return plan(setup,
              setup.machine.device_data ? available_memory() : std::numeric_limits<std::uint64_t>::max());
}

// Prints the line of all checks; false if a check found a difference.
bool report_checks(const settings& setup, const std::vector<finished>& all) {
  std::vector<harness::checked> checks;
  for (const auto& outcome : all)
    checks.push_back({fmt::format("ODF {}", outcome.chosen.odf), &*outcome.result.check});
  const std::string line = harness::check_line(checks);
  if (!line.empty()) print(setup, line);
  return !line.empty();
}

// Replaces `--odf auto`. Returns the status of the trials.
int settle_odf(settings& setup) {
  if (!setup.chooses_odf) return 0;
  const odf_choice choice = choose_odf(setup);
  setup.odf = {choice.odf};
  if (choice.status == 0 && imbrex::process() == 0) print(setup, choice_text(choice));
  return choice.status;
}

// A file that cannot be written is better known before the iterations than after them.
void check_output(const settings& setup) {
  if (setup.output.empty()) return;
  try {
    imbrex::output_file::check(setup.output);
  } catch (const imbrex::error& e) {
    throw imbrex::usage_error(std::string("--output: ") + e.what());
  }
}

int run_all(const settings& setup) {
  check_output(setup);
  const std::vector<configuration> configurations = planned(setup);
  std::ofstream json = harness::open_json(setup.json);
  const auto values = initial_values::parse(setup.init);
  const platform where = platform_of(setup);
  std::optional<plain_loop> plain;
  if (where.plain_loop) plain.emplace(setup.grid, values, setup.machine.pes);
  std::optional<serial_rival> serial;
  if (setup.check) serial.emplace(setup.grid, values);

  print(setup, table_head(setup, where));
  progress_bar bar(!setup.quiet);
  std::vector<finished> all;
  for (const auto& chosen : configurations) {
    const std::string name = fmt::format("ODF {}", chosen.odf);
    bar.show(name, 0);
    measurement result;
    const int status = measure(
        setup, chosen, plain ? &*plain : nullptr, serial ? &*serial : nullptr,
        [&](double part) { bar.show(name, part); }, result);
    bar.clear();
    if (status != 0) return status;
    all.push_back({chosen, result});
    print(setup, table_row(all.back(), all.front()));
    harness::write_json(json, setup.json, json_line(setup, where, all.back()));
  }
  if (all.size() > 1 && where.plain_loop) print(setup, "\n" + summary(all));
  return setup.check && !report_checks(setup, all) ? 1 : 0;
}

// All processes run the same configurations; the first one measures and reports.
int take_part(const settings& setup) {
  for (const auto& chosen : planned(setup)) {
    measurement nothing;
    const int status = measure(setup, chosen, nullptr, nullptr, {}, nothing);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace

int program(int argc, char** argv) {
  return harness::run_program("jacobi3d", [&] {
    settings setup = parse_settings(argc, argv, imbrex::num_processes());
    if (setup.prints_estimates && setup.help.empty()) {
      if (imbrex::process() == 0) harness::write_output(estimates_text(setup));
      return 0;
    }
    if (setup.help.empty()) {
      if (const int status = settle_odf(setup); status != 0) return status;
      return imbrex::process() == 0 ? run_all(setup) : take_part(setup);
    }
    if (imbrex::process() == 0) harness::write_output(setup.help);
    return 0;
  });
}

}  // namespace jacobi3d
