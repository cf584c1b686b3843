// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/program.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/pic/measurement.hpp"

namespace pic {
namespace {

std::string_view name_of(distribution how) { return distribution_names[static_cast<std::size_t>(how)]; }

std::string strategy_of(const settings& setup) {
  const std::string& strategy = setup.machine.balance.strategy;
  return strategy.empty() ? "none" : strategy;
}

double particles_a_second(const settings& setup, const measurement& m) {
  return m.seconds > 0 ? static_cast<double>(m.particles * setup.steps) / m.seconds : 0;
}

std::string head(const settings& setup) {
  const problem& posed = setup.posed;
  return fmt::format(
      "particles in {} x {} cells, {}, k {}, m {}, {} steps after {} of warm-up, {} PEs, balance {}\n"
      "   ODF     tiles   particles   ms/step  M particles/s\n",
      posed.grid, posed.grid, name_of(posed.how), posed.k, posed.m, setup.steps, setup.warmup,
      setup.machine.pes * setup.processes, strategy_of(setup));
}

std::string row(const settings& setup, const measurement& m) {
  return fmt::format("{:>6} {:>9} {:>11} {:>9.4g} {:>14.3f}\n", m.odf,
                     fmt::format("{} x {}", m.cut.blocks[0], m.cut.blocks[1]), m.particles,
                     m.seconds * 1e3 / static_cast<double>(setup.steps), particles_a_second(setup, m) / 1e6);
}

std::string json_line(const settings& setup, const measurement& m) {
  const problem& posed = setup.posed;
  nlohmann::ordered_json line;
  line["app"] = "pic";
  line["grid"] = posed.grid;
  line["particles"] = m.particles;
  line["k"] = posed.k;
  line["m"] = posed.m;
  line["distribution"] = name_of(posed.how);
  line["steps"] = setup.steps;
  line["odf"] = m.odf;
  line["tiles"] = {m.cut.blocks[0], m.cut.blocks[1]};
  line["pes"] = setup.machine.pes;
  line["processes"] = setup.processes;
  line["balance"] = strategy_of(setup);
  line["ms_per_step"] = m.seconds * 1e3 / static_cast<double>(setup.steps);
  line["particles_per_s"] = particles_a_second(setup, m);
  line["misplaced"] = m.last.misplaced;
  return line.dump();
}

/// Throws imbrex::error unless all particles are where they must be.
void check(const measurement& m) {
  if (!m.is_right())
    throw imbrex::error(
        fmt::format("ODF {}: {} of {} particles are there, {} of them are in wrong places, and their numbers "
                    "have the sum "
                    "{}, which should be {}",
                    m.odf, m.last.particles, m.particles, m.last.misplaced, m.last.sum_of_numbers,
                    m.particles * (m.particles + 1) / 2));
}

int run_all(const settings& setup) {
  for (const std::int64_t odf : setup.odf) tiles_for(setup, odf);
  std::ofstream json = harness::open_json(setup.json);
  const auto print = [&](const std::string& text) {
    if (!setup.quiet) harness::write_output(text);
  };
  print(head(setup));
  for (const std::int64_t odf : setup.odf) {
    measurement m;
    const int status = measure(setup, odf, m);
    if (status != 0) return status;
    print(row(setup, m));
    harness::write_json(json, setup.json, json_line(setup, m));
    check(m);
  }
  print("check: all particles are where they must be\n");
  return 0;
}

/// All processes run the same problems; the first one measures and reports.
int take_part(const settings& setup) {
  for (const std::int64_t odf : setup.odf) {
    measurement nothing;
    const int status = measure(setup, odf, nothing);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace

int program(int argc, char** argv) {
  return harness::run_program("pic", [&] {
    const settings setup = parse_settings(argc, argv);
    if (setup.help.empty()) return imbrex::process() == 0 ? run_all(setup) : take_part(setup);
    if (imbrex::process() == 0) harness::write_output(setup.help);
    return 0;
  });
}

}  // namespace pic
