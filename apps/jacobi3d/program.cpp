// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include <imbrex/base/printable.hpp>

#include "apps/jacobi3d/memory.hpp"
#include "apps/jacobi3d/option_values.hpp"
#include "apps/jacobi3d/report.hpp"

namespace jacobi3d {
namespace {

void print(const settings& asked, const std::string& text) {
  if (!asked.quiet) write_output(text);
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

// Equal results need one line for all; each that differs has its own, on the error output.
bool report_checks(const settings& asked, const std::vector<finished>& all) {
  bool equal = true;
  for (const auto& one : all) {
    if (one.result.check->equal()) continue;
    fmt::print(stderr, "check: ODF {}: {}\n", one.chosen.odf, one.result.check->text());
    equal = false;
  }
  if (equal) print(asked, fmt::format("check: {}\n", all.front().result.check->text()));
  return equal;
}

int run_all(const settings& asked) {
  const std::vector<configuration> configurations = planned(asked);
  std::ofstream json = open_json(asked.json);
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
    if (json.is_open() && !(json << json_line(asked, where, all.back()) << std::endl)) {
      fmt::print(stderr, "jacobi3d: error: {} cannot be written: {}\n", asked.json, std::strerror(errno));
      return 1;
    }
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
  try {
    const settings asked = parse_settings(argc, argv);
    if (asked.help.empty()) return imbrex::process() == 0 ? run_all(asked) : take_part(asked);
    if (imbrex::process() == 0) write_output(asked.help);
    return 0;
  } catch (const imbrex::usage_error& e) {
    fmt::print(stderr, "jacobi3d: error: {}\n", imbrex::printable_lines(e.what()));
    return imbrex::usage_error::exit_status;
  } catch (...) {
    fmt::print(stderr, "jacobi3d: error: {}\n",
               imbrex::printable_lines(imbrex::describe(std::current_exception())));
    return 1;
  }
}

}  // namespace jacobi3d
