// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/report.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include <imbrex/base/options/quantity.hpp>

namespace sweep {
namespace {

std::string machine_of(const settings& asked) {
  return asked.processes > 1 ? "processes" : std::string(imbrex::name(asked.machine.machine));
}

std::string plural(std::int64_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

double grind_ns(const settings& asked, const finished& outcome) {
  const auto& [x, y, z] = asked.posed.grid;
  const double work = double(x) * double(y) * double(z) * octants * double(asked.posed.angles_per_octant);
  return outcome.result.seconds_per_iteration * 1e9 / work;
}

}  // namespace

std::string table_head(const settings& asked) {
  const auto& [x, y, z] = asked.posed.grid;
  std::string pes = plural(asked.machine.pes, "PE");
  if (asked.processes > 1) pes = fmt::format("{} processes of {}", asked.processes, pes);
  std::string head = fmt::format(
      "Sweep: {}x{}x{} cells, {} in each octant, at most {} and {} a step, {}, machine {}, {} after {} of "
      "warm-up\n",
      x, y, z, plural(asked.posed.angles_per_octant, "angle"), plural(asked.posed.planes, "plane"),
      plural(asked.posed.angles, "angle"), pes, machine_of(asked), plural(asked.iterations, "iteration"),
      asked.warmup);
  if (asked.spin.count() > 0)
    head += fmt::format("a step takes at least {}\n", imbrex::duration_text(asked.spin));
  else if (asked.machine.machine == imbrex::machine_kind::simulated)
    head += "in simulated time columns compute at no cost; --spin gives a step its time\n";
  return head + fmt::format("\n{:>6} {:>8} {:>10} {:>13} {:>14} {:>9} {:>13} {:>18}\n", "odf", "chares",
                            "column", "ms/iteration", "ns/cell,angle", "residual", "balance error",
                            "checksum");
}

std::string table_row(const settings& asked, const finished& outcome) {
  const extents& blocks = outcome.chosen.cut.blocks;
  const extents largest = outcome.chosen.cut.largest();
  return fmt::format("{:>6.4g} {:>8} {:>10} {:>13.4g} {:>14.4g} {:>9.3g} {:>13.3g} {:#018x}\n",
                     outcome.chosen.odf, fmt::format("{}x{}", blocks[0], blocks[1]),
                     fmt::format("{}x{}", largest[0], largest[1]), outcome.result.seconds_per_iteration * 1e3,
                     grind_ns(asked, outcome), outcome.result.residual, outcome.result.balance.error(),
                     outcome.result.checksum);
}

std::string json_line(const settings& asked, const finished& outcome) {
  nlohmann::ordered_json line;
  line["app"] = "sweep";
  line["grid"] = asked.posed.grid;
  line["chares"] = {outcome.chosen.cut.blocks[0], outcome.chosen.cut.blocks[1]};
  line["odf"] = outcome.chosen.odf;
  line["pes"] = asked.machine.pes;
  line["processes"] = asked.processes;
  line["angles_per_octant"] = asked.posed.angles_per_octant;
  line["planes"] = asked.posed.planes;
  line["angles"] = asked.posed.angles;
  line["spin_us"] = std::chrono::duration<double, std::micro>(asked.spin).count();
  line["iters"] = outcome.result.iterations;
  line["us_per_iter"] = outcome.result.seconds_per_iteration * 1e6;
  line["grind_ns"] = grind_ns(asked, outcome);
  line["checksum"] = fmt::format("{:#018x}", outcome.result.checksum);
  line["residual"] = outcome.result.residual;
  line["balance_error"] = outcome.result.balance.error();
  line["max_abs_error"] = nullptr;
  if (outcome.result.check) line["max_abs_error"] = outcome.result.check->max_abs_error();
  line["machine"] = machine_of(asked);
  return line.dump();
}

}  // namespace sweep
