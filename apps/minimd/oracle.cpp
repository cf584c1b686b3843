// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/oracle.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include <imbrex/error.hpp>

namespace minimd {
namespace {

using nlohmann::json;

void expect(const char* name, std::int64_t step, double got, double reference, double tolerance) {
  if (std::abs(got - reference) <= tolerance * std::abs(reference)) return;
  throw imbrex::error(fmt::format("at step {} {} is {:.15g}, and should be {:.15g}, to a part of {:g}", step,
                                  name, got, reference, tolerance));
}

// Tolerance by step: chaos makes codes differ more at later steps.
double tolerance_at(const json& tolerances, std::int64_t step) {
  for (const auto& [until, name] :
       {std::pair(0, "step_0"), {100, "step_100"}, {500, "step_500"}, {1000, "step_1000"}})
    if (step <= until) return tolerances.at(name);
  return 1;
}

int compare_lj(const json& values, const problem& what, const std::vector<thermo>& outputs) {
  const json& run = values.at("run");
  const bool is_same = what.lattice[0] == what.lattice[1] && what.lattice[0] == what.lattice[2] &&
                       what.cell.density() == run.at("rho") && what.temperature == run.at("T0") &&
                       what.time_step == run.at("dt") && what.cutoff == run.at("cutoff") &&
                       what.skin == run.at("skin") && what.renewal == run.at("reneighbour_every") &&
                       !what.renews_if_needed;
  int compared = 0;
  for (const thermo& t : outputs)
    for (const json& reference : values.at("values")) {
      if (!is_same || what.ball.radius != 0 || !what.velocities.empty() ||
          reference.at("s") != what.lattice[0] || reference.at("step") != t.step)
        continue;
      // Rounding to multiples of 2^-40 makes results differ more from the known ones.
      const double tolerance = what.reproducible ? 1e-8 : tolerance_at(values.at("tolerance"), t.step);
      expect("T", t.step, t.temperature, reference.at("T"), tolerance);
      expect("U", t.step, t.potential, reference.at("U"), tolerance);
      expect("P", t.step, t.pressure, reference.at("P"), tolerance);
      ++compared;
    }
  return compared;
}

int compare_eam(const json& values, const problem& what, const std::vector<thermo>& outputs) {
  int compared = 0;
  for (const thermo& t : outputs)
    for (const json& reference : values.at("values")) {
      if (reference.at("atoms") != what.atoms() || reference.at("step") != t.step) continue;
      const double tolerance = values.at("tolerance").at("step_100_relative");
      expect("T", t.step, t.temperature, reference.at("T"), tolerance);
      expect("E_pair", t.step, t.potential * static_cast<double>(what.atoms()), reference.at("E_pair_eV"),
             tolerance);
      expect("P", t.step, t.pressure, reference.at("P_bar"), tolerance);
      ++compared;
    }
  return compared;
}

}  // namespace

int compare_with_oracle(const std::string& text, const problem& what, const std::vector<thermo>& outputs) {
  try {
    const json all = json::parse(text);
    return what.field == force_field::lj ? compare_lj(all.at("lj"), what, outputs)
                                         : compare_eam(all.at("eam"), what, outputs);
  } catch (const json::exception& e) {
    throw imbrex::usage_error(std::string("the known values of --oracle cannot be read: ") + e.what());
  }
}

}  // namespace minimd
