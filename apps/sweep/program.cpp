// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <vector>

#include <imbrex/base/printable.hpp>

#include "apps/jacobi3d/memory.hpp"
#include "apps/jacobi3d/option_values.hpp"
#include "apps/sweep/report.hpp"

namespace sweep {
namespace {

void print(const settings& asked, const std::string& text) {
  if (!asked.quiet) jacobi3d::write_output(text);
}

// Equal results need one line for all; each that differs has its own, on the error output.
bool report_checks(const settings& asked, const std::vector<finished>& all) {
  bool equal = true;
  for (const auto& one : all) {
    if (one.result.check->equal()) continue;
    fmt::print(stderr, "check: ODF {:g}: {}\n", one.chosen.odf, one.result.check->text());
    equal = false;
  }
  if (equal) print(asked, fmt::format("check: {}\n", all.front().result.check->text()));
  return equal;
}

int run_all(const settings& asked) {
  const std::vector<configuration> configurations = plan(asked, jacobi3d::available_memory());
  std::ofstream json = jacobi3d::open_json(asked.json);
  std::optional<serial_solver> serial;
  if (asked.check) serial.emplace(asked.posed.grid, asked.posed.angles_per_octant);

  print(asked, table_head(asked));
  std::vector<finished> all;
  for (const auto& chosen : configurations) {
    measurement result;
    const int status = measure(asked, chosen, serial ? &*serial : nullptr, result);
    if (status != 0) return status;
    all.push_back({chosen, result});
    print(asked, table_row(asked, all.back()));
    if (json.is_open() && !(json << json_line(asked, all.back()) << std::endl)) {
      fmt::print(stderr, "sweep: error: {} cannot be written: {}\n", asked.json, std::strerror(errno));
      return 1;
    }
  }
  return asked.check && !report_checks(asked, all) ? 1 : 0;
}

// All processes run the same configurations; the first of them measures and reports.
int take_part(const settings& asked) {
  for (const auto& chosen : plan(asked, jacobi3d::available_memory())) {
    measurement nothing;
    const int status = measure(asked, chosen, nullptr, nothing);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace

int program(int argc, char** argv) {
  try {
    const settings asked = parse_settings(argc, argv);
    if (asked.help.empty()) return imbrex::process() == 0 ? run_all(asked) : take_part(asked);
    if (imbrex::process() == 0) jacobi3d::write_output(asked.help);
    return 0;
  } catch (const imbrex::usage_error& e) {
    fmt::print(stderr, "sweep: error: {}\n", imbrex::printable_lines(e.what()));
    return imbrex::usage_error::exit_status;
  } catch (...) {
    fmt::print(stderr, "sweep: error: {}\n",
               imbrex::printable_lines(imbrex::describe(std::current_exception())));
    return 1;
  }
}

}  // namespace sweep
