// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <imbrex/base/options/quantity.hpp>

namespace jacobi3d {
namespace {

std::string text(const extents& numbers) {
  return fmt::format("{}x{}x{}", numbers[0], numbers[1], numbers[2]);
}

double cells_per_second(const finished& outcome) {
  const extents& grid = outcome.chosen.cut.grid;
  return double(grid[0]) * double(grid[1]) * double(grid[2]) / outcome.result.seconds_per_iteration;
}

std::string device_text(const imbrex::options& machine) {
  std::string text = "device " + machine.device;
  if (!machine.device_model.empty()) text += ", model " + machine.device_model;
  return text;
}

std::string streams_text(const settings& setup) {
  return by_requests(setup) ? "of work requests" : std::string(imbrex::option_word(setup.machine.streams));
}

std::string plural(std::int64_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace

std::string table_head(const settings& setup, const platform& where) {
  std::string pes = plural(setup.machine.pes, "PE");
  if (where.processes > 1) pes = fmt::format("{} processes of {}", where.processes, pes);
  std::string head = fmt::format("Jacobi3D: {} cells, {}, machine {}, overlap {}, {} after {} of warm-up\n",
                                 text(setup.grid), pes, where.machine, name(setup.overlap),
                                 plural(setup.iterations, "iteration"), setup.warmup);
  if (!setup.machine.device.empty())
    head +=
        fmt::format("{}, streams {}, completion {}, faces by {}, fusion {}, {}\n", device_text(setup.machine),
                    streams_text(setup), imbrex::option_word(setup.machine.completion), name(setup.comm),
                    name(setup.fusion), setup.graphs ? "graphs" : "no graphs");
  if (where.plain_loop)
    head += fmt::format(
        "ratio: speed divided by that of a plain loop of {} with the same kernel, run beside it\n",
        plural(setup.machine.pes, "thread"));
  else if (setup.spin.count() > 0)
    head +=
        fmt::format("the sweeps of a PE take {} or more an iteration\n", imbrex::duration_text(setup.spin));
  else if (setup.machine.machine == imbrex::machine_kind::simulated && setup.machine.device.empty())
    head +=
        "in simulated time blocks on processors compute at no cost; --spin gives them a time, --device-model "
        "devices\n";
  if (!where.plain_loop) head += "ratio: speed divided by that of the first line\n";
  return head + fmt::format("\n{:>6} {:>8} {:>14} {:>13} {:>10} {:>7}\n", "odf", "chares", "block",
                            "ms/iteration", "Mcell/s", "ratio");
}

std::string table_row(const finished& outcome, const finished& first) {
  const extents& blocks = outcome.chosen.cut.blocks;
  const double ratio = outcome.result.ratio.value_or(first.result.seconds_per_iteration /
                                                     outcome.result.seconds_per_iteration);
  return fmt::format("{:>6} {:>8} {:>14} {:>13.4g} {:>10.1f} {:>7.3f}\n", outcome.chosen.odf,
                     blocks[0] * blocks[1] * blocks[2], text(outcome.chosen.cut.largest()),
                     outcome.result.seconds_per_iteration * 1e3, cells_per_second(outcome) / 1e6, ratio);
}

std::string summary(std::span<const finished> all) {
  const auto slower = [](const finished& a, const finished& b) {
    return a.result.seconds_per_iteration > b.result.seconds_per_iteration;
  };
  const auto lower_odf = [](const finished& a, const finished& b) { return a.chosen.odf < b.chosen.odf; };
  const finished& best = *std::max_element(all.begin(), all.end(), slower);
  const finished& least = *std::min_element(all.begin(), all.end(), lower_odf);
  const finished& most = *std::max_element(all.begin(), all.end(), lower_odf);
  const double change = 100 * (most.result.seconds_per_iteration / least.result.seconds_per_iteration - 1);
  return fmt::format(
      "The fastest is ODF {} with {:.0f} Mcell/s, {:.2f} times the speed of the plain loop. From ODF {} to "
      "ODF {} an iteration becomes {:.1f} % {}, which leaves {:.2f} times the speed of the plain loop.\n",
      best.chosen.odf, cells_per_second(best) / 1e6, best.result.ratio.value(), least.chosen.odf,
      most.chosen.odf, std::abs(change), change < 0 ? "shorter" : "longer", most.result.ratio.value());
}

std::string json_line(const settings& setup, const platform& where, const finished& outcome) {
  nlohmann::ordered_json line;
  line["app"] = "jacobi3d";
  line["grid"] = setup.grid;
  line["blocks"] = outcome.chosen.cut.blocks;
  line["odf"] = outcome.chosen.odf;
  line["pes"] = setup.machine.pes;
  line["processes"] = where.processes;
  line["spin_us"] = std::chrono::duration<double, std::micro>(setup.spin).count();
  line["iters"] = outcome.result.iterations;
  line["us_per_iter"] = outcome.result.seconds_per_iteration * 1e6;
  if (outcome.result.seconds_per_iteration_to_mark)
    line["us_per_iter_to_mark"] = *outcome.result.seconds_per_iteration_to_mark * 1e6;
  line["cells_per_s"] = cells_per_second(outcome);
  line["checksum"] = nullptr;
  if (outcome.result.checksum) line["checksum"] = fmt::format("{:#018x}", *outcome.result.checksum);
  line["residual"] = nullptr;
  if (outcome.result.residual) line["residual"] = *outcome.result.residual;
  line["max_abs_error"] = nullptr;
  if (outcome.result.check) line["max_abs_error"] = outcome.result.check->max_abs_error();
  line["machine"] = where.machine;
  line["device"] = setup.machine.device.empty() ? "none" : setup.machine.device;
  if (!setup.machine.device.empty()) {
    line["streams"] = streams_text(setup);
    line["completion"] = imbrex::option_word(setup.machine.completion);
    line["comm"] = name(setup.comm);
    line["fusion"] = name(setup.fusion);
    line["waits"] = name(setup.waits);
    line["graphs"] = setup.graphs;
    if (!setup.machine.device_model.empty()) line["device_model"] = setup.machine.device_model;
  }
  line["overlap"] = name(setup.overlap);
  return line.dump();
}

progress_bar::progress_bar(bool is_requested) : shown_(is_requested && ::isatty(STDERR_FILENO) == 1) {}

void progress_bar::show(const std::string& what, double part) {
  if (!shown_) return;
  constexpr double width = 40;
  const auto filled = std::size_t(std::lround(part * width));
  fmt::print(stderr, "\r\x1b[K{} [{:<{}}] {:.0f} %", what, std::string(filled, '#'), int(width), part * 100);
  std::fflush(stderr);
  drawn_ = true;
}

void progress_bar::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace jacobi3d
