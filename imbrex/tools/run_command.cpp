// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/run_command.hpp>

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/nearest.hpp>
#include <imbrex/base/number.hpp>
#include <imbrex/base/options.hpp>
#include <imbrex/base/options_file.hpp>

namespace imbrex::tools {
namespace {

int processes_of(const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > max_processes)
    throw usage_error("-n " + text + ": the number of processes must be a whole number from 1 to " +
                      std::to_string(max_processes) + ", such as -n 4");
  return *number;
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

[[noreturn]] void refuse_option(const std::string& given) {
  static constexpr std::array<std::string_view, 4> known{"--prefix", "--timeout", "--options", "--help"};
  const std::string name = given.substr(0, given.find('='));
  const auto meant = nearest(name, known);
  throw usage_error("unknown option " + name +
                    (meant.empty()
                         ? ": options before the program are those of imbrex run, see imbrex run --help"
                         : "; did you mean " + std::string(meant) + "?"));
}

}  // namespace

asked_for parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Starts programs that use Imbrex, and tells what they find.", "imbrex");
  CLI::App& run = *app.add_subcommand(
      "run",
      "run a program as several processes on this host:\n"
      "imbrex run -n N [--prefix] [--timeout SECONDS] [--options FILE] PROGRAM [ARGUMENTS...]");
  run.prefix_command();
  // Its options are the runtime's, which has a parser of its own.
  CLI::App& info = *app.add_subcommand("info",
                                       "print what Imbrex finds here and what a program would choose:\n"
                                       "imbrex info [--json] [OPTIONS OF THE RUNTIME]");
  info.prefix_command();
  info.set_help_flag();
  CLI::App& overlapping = *app.add_subcommand(
      "overlap",
      "tell how much of a program's communication its computation could hide:\n"
      "imbrex overlap FILE | --from TRACE | --verify -- PROGRAM [--json] [--svg DIRECTORY]");
  overlapping.prefix_command();
  overlapping.set_help_flag();
  CLI::App& trace = *app.add_subcommand("trace",
                                        "report on traces of runs:\n"
                                        "imbrex trace report FILE [FILE2] [--text | --json]");
  trace.prefix_command();
  trace.set_help_flag();
  CLI::App& tuning =
      *app.add_subcommand("tune",
                          "find options that make a program faster, and write a file to run it with:\n"
                          "imbrex tune [OPTIONS] PROGRAM [ARGUMENTS...]");
  tuning.prefix_command();
  tuning.set_help_flag();
  app.require_subcommand(0, 1);
  app.allow_extras();  // CLI11 leaves what stands behind "--" to the outer command
  run.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::string processes;
  std::string timeout;
  std::string file;
  job_settings asked;
  const CLI::Option* const n = run.add_option("-n", processes, "how many processes")->type_name("N");
  run.add_flag("--prefix", asked.prefix, "put \"[rank] \" before each line of output");
  const CLI::Option* const limit =
      run.add_option("--timeout", timeout, "end the job after this time, with status 124")
          ->type_name("SECONDS");
  const CLI::Option* const from_file =
      run.add_option("--options", file,
                     "give the program the arguments in this file before its own, and take -n from it")
          ->type_name("FILE");
  run.footer(
      "Standard input goes to rank 0. The lines of standard output and standard error are passed on whole.\n"
      "The status is 0, or that of the process that failed first (128 + signal if one killed it).\n"
      "What stands behind PROGRAM is the program's, also options such as --pes.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return run.parsed() ? run.help() : app.help();
  } catch (const CLI::ParseError& e) {
    throw usage_error(std::string(e.what()) + "; see imbrex run --help");
  }
  const auto behind_dashes = app.remaining();
  if (info.parsed()) {
    auto arguments = info.remaining();
    arguments.insert(arguments.end(), behind_dashes.begin(), behind_dashes.end());
    auto asked_of_info = parse_info(arguments);
    if (auto* const help = std::get_if<std::string>(&asked_of_info)) return *std::move(help);
    return std::get<info_settings>(std::move(asked_of_info));
  }
  if (overlapping.parsed()) {
    auto arguments = overlapping.remaining();
    if (!behind_dashes.empty()) arguments.push_back("--");
    arguments.insert(arguments.end(), behind_dashes.begin(), behind_dashes.end());
    auto asked_of_overlap = overlap::parse_command(arguments);
    if (auto* const help = std::get_if<std::string>(&asked_of_overlap)) return *std::move(help);
    return std::get<overlap::settings>(std::move(asked_of_overlap));
  }
  if (trace.parsed()) {
    auto arguments = trace.remaining();
    if (!behind_dashes.empty()) arguments.push_back("--");
    arguments.insert(arguments.end(), behind_dashes.begin(), behind_dashes.end());
    auto asked_of_trace = parse_trace(arguments);
    if (auto* const help = std::get_if<std::string>(&asked_of_trace)) return *std::move(help);
    return std::get<trace_settings>(std::move(asked_of_trace));
  }
  if (tuning.parsed()) {
    auto arguments = tuning.remaining();
    if (!behind_dashes.empty()) arguments.push_back("--");
    arguments.insert(arguments.end(), behind_dashes.begin(), behind_dashes.end());
    auto asked_of_tune = tune::parse_command(arguments);
    if (auto* const help = std::get_if<std::string>(&asked_of_tune)) return *std::move(help);
    return std::get<tune::settings>(std::move(asked_of_tune));
  }
  asked.command = run.remaining();
  if (!run.parsed() || (!behind_dashes.empty() && !asked.command.empty()))
    throw usage_error(
        (behind_dashes.empty() ? "no command" : "unknown command '" + behind_dashes.front() + "'") +
        "; write imbrex run -n N PROGRAM, or see imbrex --help");
  if (asked.command.empty())
    asked.command = behind_dashes;
  else if (asked.command.front().starts_with('-'))
    refuse_option(asked.command.front());
  options_file given;
  if (from_file->count() > 0) given = read_options_file(file);
  if (n->count() == 0 && given.processes == 0)
    throw usage_error("-n is missing: say how many processes, such as imbrex run -n 4 PROGRAM");
  asked.processes = n->count() > 0 ? processes_of(processes) : given.processes;
  if (limit->count() > 0) asked.timeout = timeout_of(timeout);
  if (asked.command.empty())
    throw usage_error("no program to run; write imbrex run -n N PROGRAM [ARGUMENTS...]");
  if (asked.command.front().empty()) throw usage_error("the name of the program is empty");
  asked.command.insert(asked.command.begin() + 1, given.words.begin(), given.words.end());
  return asked;
}

}  // namespace imbrex::tools
