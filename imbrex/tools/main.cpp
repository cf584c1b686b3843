// SPDX-License-Identifier: Apache-2.0
// The command imbrex; `imbrex --help` lists what it can do.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <variant>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/job.hpp>
#include <imbrex/tools/process/trial.hpp>
#include <imbrex/tools/run_command.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/tune/tune.hpp>

namespace {

void complain(const std::string& command, const std::exception& why) {
  std::fprintf(stderr, "%s: %s\n", command.c_str(), imbrex::printable_lines(why.what()).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  imbrex::open_standard_descriptors();
  // What errors begin with.
  const std::string_view first = argc > 1 ? argv[1] : "";
  constexpr std::array<std::string_view, 5> commands{"run", "info", "overlap", "trace", "tune"};
  const bool is_known = std::ranges::find(commands, first) != commands.end();
  const std::string command = "imbrex" + (is_known ? " " + std::string(first) : "");
  try {
    const auto asked = imbrex::tools::parse_command_line(argc, argv);
    if (const auto* const help = std::get_if<std::string>(&asked)) {
      imbrex::tools::print(*help);
      return 0;
    }
    if (const auto* const info = std::get_if<imbrex::tools::info_settings>(&asked))
      return imbrex::tools::print_info(*info);
    if (const auto* const trace = std::get_if<imbrex::tools::trace_settings>(&asked))
      return imbrex::tools::run_trace(*trace);
    if (const auto* const overlap = std::get_if<imbrex::overlap::settings>(&asked)) {
      imbrex::overlap::print_overlap(*overlap);
      return 0;
    }
    if (const auto* const tuning = std::get_if<imbrex::tune::settings>(&asked)) {
      imbrex::tune::tune(*tuning);
      return 0;
    }
    return imbrex::tools::run_job(std::get<imbrex::tools::job_settings>(asked));
  } catch (const imbrex::usage_error& e) {
    complain(command, e);
    return imbrex::usage_error::exit_status;
  } catch (const imbrex::tools::interrupted& e) {
    complain(command, e);
    return 128 + e.signal();
  } catch (const std::exception& e) {
    complain(command, e);
    return 1;
  }
}
