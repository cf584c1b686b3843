// SPDX-License-Identifier: Apache-2.0
// The command imbrex; `imbrex --help` lists what it can do.
#include <cstdio>
#include <exception>
#include <string>
#include <variant>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/job.hpp>
#include <imbrex/tools/run_command.hpp>

int main(int argc, char** argv) {
  try {
    const auto asked = imbrex::tools::parse_command_line(argc, argv);
    if (const auto* const help = std::get_if<std::string>(&asked)) {
      std::fputs(help->c_str(), stdout);
      return 0;
    }
    return imbrex::tools::run_job(std::get<imbrex::tools::job_settings>(asked));
  } catch (const imbrex::usage_error& e) {
    std::fprintf(stderr, "imbrex run: %s\n", e.what());
    return imbrex::usage_error::exit_status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "imbrex run: %s\n", e.what());
    return 1;
  }
}
