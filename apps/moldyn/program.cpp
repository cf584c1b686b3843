// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/program.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>

#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/moldyn/measurement.hpp"
#include "apps/moldyn/plain_loop.hpp"

namespace moldyn {
namespace {

// The benchmark's own values, confirmed by two independent programs to 1e-9.
struct known_energy {
  int mm;
  double kinetic;
};
constexpr known_energy known[] = {{8, 1731.4306625334357}, {13, 7397.392307839352}};

struct plain_result {
  double milliseconds_per_cycle;
  torus::summary sums;
  std::int64_t migrated;
};

plain_result run_plain(const settings& setup) {
  const auto cells = torus::cells_for(setup.particles);
  torus::plain_loop loop(cells, torus::filled_rows(cells[0], setup.filled));
  const auto begin = std::chrono::steady_clock::now();
  loop.advance(setup.cycles);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  return {time.count() / static_cast<double>(setup.cycles), loop.sums(), loop.migrated()};
}

std::string head(const settings& setup) {
  const std::string how = setup.how == overlap::none ? "none" : "auto";
  if (setup.what == model::grande) {
    const grande model(setup.mm);
    return fmt::format(
        "MolDyn of Java Grande: {} atoms, cut-off {}, side {:.6f}, {} moves, overlap {}\n"
        "   ODF        chares   ms/move  move             kinetic           potential               total\n",
        model.atoms, model.cutoff, model.side, setup.cycles, how);
  }
  const auto cells = torus::cells_for(setup.particles);
  return fmt::format(
      "particles on a torus of {} x {} cells, {} cycles, overlap {}\n"
      "   ODF        chares  ms/cycle           energy   particles\n",
      cells[0], cells[1], setup.cycles, how);
}

std::string row(const settings& setup, const measurement& m) {
  if (setup.what == model::torus)
    return fmt::format("{:>6} {:>13} {:>9.3f} {:>16.6f} {:>11}\n", m.odf, m.chares, m.milliseconds_per_cycle,
                       m.of_torus.total(), m.of_torus.particles);
  std::string lines;
  for (const energies& e : m.of_grande)
    lines += fmt::format("{:>6} {:>13} {:>9.3f} {:>5} {:>19.10f} {:>19.10f} {:>19.10f}\n", m.odf, m.chares,
                         m.milliseconds_per_cycle, e.move, e.kinetic, e.potential, e.total());
  return lines;
}

std::string json_line(const settings& setup, const measurement& m, const std::optional<plain_result>& plain) {
  nlohmann::ordered_json line;
  line["app"] = "moldyn";
  line["model"] = setup.what == model::grande ? "grande" : "torus";
  line["overlap"] = setup.how == overlap::none ? "none" : "auto";
  line["odf"] = m.odf;
  line["pes"] = setup.machine.pes;
  line["processes"] = setup.processes;
  line["chares"] = m.chares;
  line["cycles"] = setup.cycles;
  line["ms_per_cycle"] = m.milliseconds_per_cycle;
  if (setup.what == model::torus) {
    const auto cells = torus::cells_for(setup.particles);
    line["particles"] = m.of_torus.particles;
    line["cells"] = std::int64_t{cells[0]} * cells[1];
    line["energy"] = m.of_torus.total();
    line["least_interactions"] = m.least_interactions;
    line["most_interactions"] = m.most_interactions;
    for (std::size_t p = 0; p < torus::part_names.size(); ++p)
      line["ms"][torus::part_names[p]] = m.seconds_per_cycle[p] * 1e3;
    if (plain) line["plain_ms_per_cycle"] = plain->milliseconds_per_cycle;
  } else {
    line["atoms"] = grande(setup.mm).atoms;
    for (const energies& e : m.of_grande)
      line["energies"].push_back({{"move", e.move},
                                  {"kinetic", e.kinetic},
                                  {"potential", e.potential},
                                  {"interactions", e.interactions}});
  }
  return line.dump();
}

// Throws an error if the energy is not the expected one.
void check(const settings& setup, const measurement& m, const std::optional<plain_result>& plain) {
  if (setup.what == model::torus) {
    const double got = m.of_torus.total(), reference = plain->sums.total();
    if (!(std::abs(got - reference) <= 1e-9 * std::abs(reference)) ||
        m.of_torus.particles != plain->sums.particles)
      throw imbrex::error(
          fmt::format("ODF {}: the energy of {} particles is {:.12g}, and that of {} in a plain loop "
                      "{:.12g}",
                      m.odf, m.of_torus.particles, got, plain->sums.particles, reference));
    return;
  }
  for (const auto& [mm, kinetic] : known)
    if (mm == setup.mm && !(std::abs(m.of_grande.back().kinetic - kinetic) <= 1e-9))
      throw imbrex::error(fmt::format("ODF {}: the kinetic energy is {:.13f}, and should be {:.13f}", m.odf,
                                      m.of_grande.back().kinetic, kinetic));
}

bool can_be_checked(const settings& setup) {
  if (setup.what == model::torus) return true;
  for (const auto& [mm, kinetic] : known)
    if (mm == setup.mm) return setup.cycles == grande::moves;
  return false;
}

int run_all(const settings& setup) {
  if (setup.check && !can_be_checked(setup))
    throw imbrex::usage_error(
        "--check knows the energies of sizes A and B after 50 moves alone; leave it out");
  for (const std::int64_t odf : setup.odf) check_chares(setup, odf);
  std::ofstream json = harness::open_json(setup.json);
  const auto print = [&](const std::string& text) {
    if (!setup.quiet) harness::write_output(text);
  };
  std::optional<plain_result> plain;
  if (setup.plain || (setup.check && setup.what == model::torus)) plain = run_plain(setup);
  print(head(setup));
  if (plain)
    print(fmt::format(" plain             - {:>9.3f} {:>16.6f} {:>11}\n", plain->milliseconds_per_cycle,
                      plain->sums.total(), plain->sums.particles));
  for (const std::int64_t odf : setup.odf) {
    measurement m;
    const int status = measure(setup, odf, m);
    if (status != 0) return status;
    print(row(setup, m));
    harness::write_json(json, setup.json, json_line(setup, m, plain));
    if (setup.check) check(setup, m, plain);
  }
  if (plain)
    print(fmt::format("{} particles changed their cell in a cycle\n", plain->migrated / setup.cycles));
  if (setup.check) print("check: all energies are as they should be\n");
  return 0;
}

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
  return harness::run_program("moldyn", [&] {
    const settings setup = parse_settings(argc, argv);
    if (setup.help.empty()) return imbrex::process() == 0 ? run_all(setup) : take_part(setup);
    if (imbrex::process() == 0) harness::write_output(setup.help);
    return 0;
  });
}

}  // namespace moldyn
