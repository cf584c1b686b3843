// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/run_command.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/options_file.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::tools {
namespace {

int processes_of(const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > max_processes)
    throw usage_error("-n " + text + ": the number of processes must be a whole number from 1 to " +
                      std::to_string(max_processes) + ", such as -n 4");
  return *number;
}

void check_pes(const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > max_pes)
    throw usage_error("--pes " + text +
                      ": the number of PEs of each process must be a whole number from 1 to " +
                      std::to_string(max_pes) + ", such as --pes 2; leave --pes out to share the processors");
}

std::chrono::milliseconds timeout_of(const std::string& text) {
  constexpr double most = 1e9;
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 0.001 && *seconds <= most))
    throw usage_error(
        "--timeout " + text +
        ": the time must be seconds from 0.001 to 1e9, such as --timeout 60; leave it out to let "
        "the job run as long as it wants");
  return std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
}

/// The options of `imbrex run`, as they were given.
struct run_options {
  std::optional<std::string> processes, pes, timeout, file;
  bool prefix = false;
  std::vector<std::string> program;
};

std::optional<std::string> read_options(run_options& given, std::span<const std::string> words) {
  return command(
             "imbrex run", "-n N [OPTIONS] PROGRAM [ARGUMENTS...]",
             "Runs a program as several processes on this host. Standard input goes to rank 0. The lines of "
             "standard output and standard error are passed on whole. What processes find wrong alike as "
             "they begin is told once, unless with --prefix.")
      .option("-n", "N", given.processes, "how many processes")
      .option("--pes", "N", given.pes,
              "how many PEs in each process: given to the program behind its arguments")
      .flag("--prefix", given.prefix, "put \"[rank] \" before each line of output")
      .option("--timeout", "SECONDS", given.timeout, "end the job after this time, with status 124")
      .option("--options", "FILE", given.file,
              "give the program the arguments in this file behind its own, and take -n from it")
      .program(given.program)
      .note(
          "The status is 0, or that of the process that failed first (128 + signal if one killed it). What "
          "stands behind PROGRAM is the program's, also options such as --pes.")
      .read(words);
}

job_settings job_of(run_options given) {
  options_file from_file;
  if (given.file) from_file = read_options_file(*given.file);
  if (!given.processes && from_file.processes == 0)
    throw usage_error("-n is missing: say how many processes, such as imbrex run -n 4 PROGRAM");
  job_settings asked;
  asked.prefix = given.prefix;
  asked.processes = given.processes ? processes_of(*given.processes) : from_file.processes;
  if (given.timeout) asked.timeout = timeout_of(*given.timeout);
  asked.command = std::move(given.program);
  if (asked.command.empty())
    throw usage_error("no program to run; write imbrex run -n N PROGRAM [ARGUMENTS...]");
  if (asked.command.front().empty()) throw usage_error("the name of the program is empty");
  std::vector<std::string> behind = from_file.words;
  if (given.pes) {
    check_pes(*given.pes);
    behind.insert(behind.end(), {"--pes", *given.pes});
  }
  // Where the last of several counts, these do, as with `PROGRAM ARGUMENTS --options FILE --pes N`.
  asked.command.insert(std::find(asked.command.begin() + 1, asked.command.end(), "--"), behind.begin(),
                       behind.end());
  return asked;
}

}  // namespace

std::variant<job_settings, std::string> parse_run(std::span<const std::string> words) {
  run_options given;
  if (auto help = read_options(given, words)) return *std::move(help);
  return job_of(std::move(given));
}

}  // namespace imbrex::tools
