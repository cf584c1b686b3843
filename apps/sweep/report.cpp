// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/report.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include <imbrex/base/options/quantity.hpp>

namespace sweep {
namespace {

std::string machine_of(const settings& setup) {
  return setup.processes > 1 ? "processes" : std::string(imbrex::option_word(setup.machine.machine));
}

std::string plural(std::int64_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

double grind_ns(const settings& setup, const finished& outcome) {
  const auto& [x, y, z] = setup.posed.grid;
  const double work = double(x) * double(y) * double(z) * octants * double(setup.posed.angles_per_octant);
  return outcome.result.seconds_per_iteration * 1e9 / work;
}

}  // namespace

std::string table_head(const settings& setup) {
  const auto& [x, y, z] = setup.posed.grid;
  std::string pes = plural(setup.machine.pes, "PE");
  if (setup.processes > 1) pes = fmt::format("{} processes of {}", setup.processes, pes);
  std::string head = fmt::format(
      "Sweep: {}x{}x{} cells, {} in each octant, at most {} and {} a step, {}, machine {}, {} after {} of "
      "warm-up\n",
      x, y, z, plural(setup.posed.angles_per_octant, "angle"), plural(setup.posed.planes, "plane"),
      plural(setup.posed.angles, "angle"), pes, machine_of(setup), plural(setup.iterations, "iteration"),
      setup.warmup);
  if (setup.spin.count() > 0)
    head += fmt::format("a step takes at least {}\n", imbrex::duration_text(setup.spin));
  else if (setup.machine.machine == imbrex::machine_kind::simulated)
    head += "in simulated time columns compute at no cost; --spin gives a step its time\n";
  return head + fmt::format("\n{:>6} {:>8} {:>10} {:>13} {:>14} {:>9} {:>13} {:>18}\n", "odf", "chares",
                            "column", "ms/iteration", "ns/cell,angle", "residual", "balance error",
                            "checksum");
}

std::string table_row(const settings& setup, const finished& outcome) {
  const extents& blocks = outcome.chosen.cut.blocks;
  const extents largest = outcome.chosen.cut.largest();
  return fmt::format("{:>6.4g} {:>8} {:>10} {:>13.4g} {:>14.4g} {:>9.3g} {:>13.3g} {:#018x}\n",
                     outcome.chosen.odf, fmt::format("{}x{}", blocks[0], blocks[1]),
                     fmt::format("{}x{}", largest[0], largest[1]), outcome.result.seconds_per_iteration * 1e3,
                     grind_ns(setup, outcome), outcome.result.residual, outcome.result.balance.error(),
                     outcome.result.checksum);
}

std::string json_line(const settings& setup, const finished& outcome) {
  nlohmann::ordered_json line;
  line["app"] = "sweep";
  line["grid"] = setup.posed.grid;
  line["chares"] = {outcome.chosen.cut.blocks[0], outcome.chosen.cut.blocks[1]};
  line["odf"] = outcome.chosen.odf;
  line["pes"] = setup.machine.pes;
  line["processes"] = setup.processes;
  line["angles_per_octant"] = setup.posed.angles_per_octant;
  line["planes"] = setup.posed.planes;
  line["angles"] = setup.posed.angles;
  line["spin_us"] = std::chrono::duration<double, std::micro>(setup.spin).count();
  line["iters"] = outcome.result.iterations;
  line["us_per_iter"] = outcome.result.seconds_per_iteration * 1e6;
  line["grind_ns"] = grind_ns(setup, outcome);
  line["checksum"] = fmt::format("{:#018x}", outcome.result.checksum);
  line["residual"] = outcome.result.residual;
  line["balance_error"] = outcome.result.balance.error();
  line["max_abs_error"] = nullptr;
  if (outcome.result.check) line["max_abs_error"] = outcome.result.check->max_abs_error();
  line["machine"] = machine_of(setup);
  return line.dump();
}

}  // namespace sweep
