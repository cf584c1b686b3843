// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/program.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include <imbrex/serial/file.hpp>

#include "apps/harness/memory.hpp"
#include "apps/harness/output.hpp"
#include "apps/harness/program.hpp"
#include "apps/minimd/measurement.hpp"
#include "apps/minimd/memory.hpp"
#include "apps/minimd/oracle.hpp"
#include "apps/minimd/report.hpp"

namespace minimd {
namespace {

// A file written in pieces; nothing is written if the name is empty.
class text_file {
 public:
  explicit text_file(const std::string& name) : name_(name) {
    if (name.empty()) return;
    file_.open(name, std::ios::trunc);
    if (!file_)
      throw imbrex::usage_error("'" + name +
                                "' cannot be written: give the name of a file in a folder that exists");
  }
  void write(const std::string& text) {
    if (name_.empty()) return;
    file_ << text << std::flush;
    if (!file_) throw imbrex::error("'" + name_ + "' cannot be written");
  }

 private:
  std::string name_;
  std::ofstream file_;
};

// Checks before the run that the restart file can be written; leaves an existing file as it is.
void check_place(const std::string& restart) {
  if (restart.empty()) return;
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(restart, ignored);
  if (!std::ofstream(restart, std::ios::app))
    throw imbrex::usage_error("--write-restart '" + restart +
                              "': the file cannot be written; choose another file");
  if (is_new) std::filesystem::remove(restart, ignored);
}

// Reads the restart file: the problem is the file's, except options of how it is computed.
std::optional<restart_file> restart_of(settings& setup) {
  if (setup.read_restart.empty()) return std::nullopt;
  auto from = imbrex::from_file<restart_file>(setup.read_restart);
  const problem parameters = setup.parameters.what;
  setup.parameters.what = from.what;
  setup.parameters.what.lists = parameters.lists;
  setup.parameters.what.newton = parameters.newton;
  setup.parameters.what.reproducible = parameters.reproducible;
  check_problem(setup);
  return from;
}

int run_all(settings& setup) {
  const auto from = restart_of(setup);
  check_memory(setup, harness::available_memory());
  for (const std::int64_t odf : setup.odf) chares_of(setup, odf);
  check_place(setup.write_restart);
  std::ofstream json = harness::open_json(setup.json);
  text_file yaml(setup.yaml), dump(setup.dump);
  const std::string oracle = setup.check ? text_of_file(setup.oracle, "the known values") : "";
  const auto print = [&](const std::string& text) {
    if (!setup.quiet) harness::write_output(text);
  };
  int compared = 0;
  for (const std::int64_t odf : setup.odf) {
    print(table_head(setup));
    measurement run;
    const auto output = [&](const thermo& at, const std::vector<atom>& atoms) {
      print(table_row(at));
      harness::write_json(json, setup.json, json_line(at));
      if (!atoms.empty()) dump.write(xyz_frame(setup.parameters.what, at, atoms));
    };
    const int status = measure(setup, odf, from ? &*from : nullptr, output, run);
    if (status != 0) return status;
    print(table_end(setup, odf, run));
    yaml.write(yaml_document(setup, odf, run));
    if (setup.check) compared += compare_with_oracle(oracle, setup.parameters.what, run.outputs);
    if (!setup.write_restart.empty()) imbrex::to_file(setup.write_restart, run.last);
  }
  if (setup.check && compared == 0)
    throw imbrex::usage_error(
        "--check: the known values have no output of this problem; see what sizes and steps they have");
  if (setup.check) print(fmt::format("check: {} outputs are as known\n", compared));
  return 0;
}

int take_part(settings& setup) {
  const auto from = restart_of(setup);
  check_memory(setup, harness::available_memory());
  for (const std::int64_t odf : setup.odf) {
    measurement nothing;
    const int status =
        measure(setup, odf, from ? &*from : nullptr, [](const thermo&, const std::vector<atom>&) {}, nothing);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace

int program(int argc, char** argv) {
  return harness::run_program("minimd", [&] {
    settings setup = parse_settings(argc, argv);
    if (setup.help.empty()) return imbrex::process() == 0 ? run_all(setup) : take_part(setup);
    if (imbrex::process() == 0) harness::write_output(setup.help);
    return 0;
  });
}

}  // namespace minimd
