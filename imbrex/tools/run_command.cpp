// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/run_command.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/nearest.hpp>
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

[[noreturn]] void refuse_option(const std::string& given) {
  static constexpr std::array<std::string_view, 5> known{"--pes", "--prefix", "--timeout", "--options",
                                                         "--help"};
  const std::string name = given.substr(0, given.find('='));
  const auto meant = nearest(name, known);
  throw usage_error("unknown option " + name +
                    (meant.empty()
                         ? ": options before the program are those of imbrex run, see imbrex run --help"
                         : "; did you mean " + std::string(meant) + "?"));
}

/// A command that has a parser of its own for all that stands behind it.
struct command {
  const char* name;
  const char* description;
  asked_for (*parse)(std::span<const std::string> arguments);
};

/// What that parser gives, as one of all that can be asked for.
template <auto Parse>
asked_for parsed_by(std::span<const std::string> arguments) {
  return std::visit([](auto&& asked) -> asked_for { return std::forward<decltype(asked)>(asked); },
                    Parse(arguments));
}

constexpr std::array<command, 4> commands{{
    {"info",
     "print what Imbrex finds here and what a program would choose:\n"
     "imbrex info [--json] [OPTIONS OF THE RUNTIME]",
     parsed_by<parse_info>},
    {"overlap",
     "tell how much of a program's communication its computation could hide:\n"
     "imbrex overlap FILE | --from TRACE | --verify -- PROGRAM [--json] [--svg DIRECTORY]",
     parsed_by<overlap::parse_command>},
    {"trace",
     "report on traces of runs:\n"
     "imbrex trace report FILE [FILE2] [--text | --json]",
     parsed_by<parse_trace>},
    {"tune",
     "find options that make a program faster, and write a file to run it with:\n"
     "imbrex tune [OPTIONS] PROGRAM [ARGUMENTS...]",
     parsed_by<tune::parse_command>},
}};

/// `given` is none of the commands; it may be empty.
[[noreturn]] void refuse_command(const std::string& given) {
  std::string known = "run";
  for (const command& one : commands) known += std::string(", ") + one.name;
  throw usage_error((given.empty() ? "no command" : "there is no command '" + given + "'") +
                    "; there are: " + known + "; see imbrex --help");
}

/// The options of `imbrex run`, as they were given.
struct run_options {
  std::string processes, pes, timeout, file;
  bool prefix = false;
};

CLI::App& declare_run(CLI::App& app, run_options& given) {
  CLI::App& run = *app.add_subcommand(
      "run",
      "run a program as several processes on this host:\n"
      "imbrex run -n N [--pes N] [--prefix] [--timeout SECONDS] [--options FILE] PROGRAM [ARGUMENTS...]");
  run.prefix_command();
  run.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  run.add_option("-n", given.processes, "how many processes")->type_name("N");
  run.add_option("--pes", given.pes,
                 "how many PEs in each process: given to the program behind its arguments")
      ->type_name("N");
  run.add_flag("--prefix", given.prefix, "put \"[rank] \" before each line of output");
  run.add_option("--timeout", given.timeout, "end the job after this time, with status 124")
      ->type_name("SECONDS");
  run.add_option("--options", given.file,
                 "give the program the arguments in this file behind its own, and take -n from it")
      ->type_name("FILE");
  run.footer(
      "Standard input goes to rank 0. The lines of standard output and standard error are passed on whole.\n"
      "What processes find wrong alike as they begin is told once, unless with --prefix.\n"
      "The status is 0, or that of the process that failed first (128 + signal if one killed it).\n"
      "What stands behind PROGRAM is the program's, also options such as --pes.");
  return run;
}

job_settings job_of(const CLI::App& run, const run_options& given, std::vector<std::string> program) {
  options_file from_file;
  if (run.count("--options") > 0) from_file = read_options_file(given.file);
  if (run.count("-n") == 0 && from_file.processes == 0)
    throw usage_error("-n is missing: say how many processes, such as imbrex run -n 4 PROGRAM");
  job_settings asked;
  asked.prefix = given.prefix;
  asked.processes = run.count("-n") > 0 ? processes_of(given.processes) : from_file.processes;
  if (run.count("--timeout") > 0) asked.timeout = timeout_of(given.timeout);
  if (program.empty()) throw usage_error("no program to run; write imbrex run -n N PROGRAM [ARGUMENTS...]");
  if (program.front().empty()) throw usage_error("the name of the program is empty");
  asked.command = std::move(program);
  std::vector<std::string> behind = from_file.words;
  if (run.count("--pes") > 0) {
    check_pes(given.pes);
    behind.insert(behind.end(), {"--pes", given.pes});
  }
  // Where the last of several counts, these do, as with `PROGRAM ARGUMENTS --options FILE --pes N`.
  asked.command.insert(std::find(asked.command.begin() + 1, asked.command.end(), "--"), behind.begin(),
                       behind.end());
  return asked;
}

}  // namespace

asked_for parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Starts programs that use Imbrex, and tells what they find.", "imbrex");
  run_options given;
  const CLI::App& run = declare_run(app, given);
  for (const command& one : commands) {
    CLI::App& added = *app.add_subcommand(one.name, one.description);
    added.prefix_command();
    added.set_help_flag();
  }
  app.require_subcommand(0, 1);
  app.allow_extras();  // CLI11 leaves what stands behind "--" to the outer command

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return run.parsed() ? run.help() : app.help();
  } catch (const CLI::ParseError& e) {
    throw usage_error(std::string(e.what()) + "; see imbrex run --help");
  }
  const auto behind_dashes = app.remaining();
  for (const command& one : commands) {
    const CLI::App& added = *app.get_subcommand(one.name);
    if (!added.parsed()) continue;
    auto arguments = added.remaining();
    if (!behind_dashes.empty()) arguments.push_back("--");
    arguments.insert(arguments.end(), behind_dashes.begin(), behind_dashes.end());
    return one.parse(arguments);
  }
  auto program = run.remaining();
  if (!run.parsed() || (!behind_dashes.empty() && !program.empty()))
    refuse_command(behind_dashes.empty() ? "" : behind_dashes.front());
  if (program.empty())
    program = behind_dashes;
  else if (program.front().starts_with('-'))
    refuse_option(program.front());
  return job_of(run, given, std::move(program));
}

}  // namespace imbrex::tools
