// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/tune.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/tune/choose_space.hpp>
#include <imbrex/tools/tune/output_file.hpp>
#include <imbrex/tools/tune/program_runs.hpp>
#include <imbrex/tools/tune/report.hpp>

namespace imbrex::tune {
namespace {

using namespace std::chrono_literals;

/// The time limit of --help: a program without this option may run instead.
constexpr nanoseconds help_limit = 5s;

std::string this_command() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown host";
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

/// Progress for the user, on a terminal only.
void tell(const space& where, const comparison& of) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const std::string how = of.failure.empty()
                              ? fmt::format("{:.3f} times as fast as {}", of.ratio(), where.name(of.against))
                              : failure_text(where, of);
  fmt::print(stderr, "imbrex tune: {}: {}\n", where.name(of.candidate), how);
}

/// The output of --help. Its duration is added to the first run's.
std::string help_of(const settings& asked, program_runs& runs, observation& first) {
  const bool odf_is_known = has_option(asked.given, "--odf") ||
                            std::ranges::find(asked.vary, "--odf", &variation::option) != asked.vary.end();
  if (odf_is_known) return {};
  const tools::trial_result said = runs.help(words_of_program(asked.program, asked.given),
                                             std::min(help_limit, asked.budget - first.cost));
  first.cost += said.wall;
  first.lost += said.lost;
  return said.output;
}

/// Reads options files, except in programs without the runtime, whose --options may mean anything. A program
/// with the runtime reports errors in a file itself.
settings with_files_read_if_possible(const settings& asked) {
  try {
    return with_files_read(asked);
  } catch (const usage_error&) {
    return asked;
  }
}

start as_in_trials(const settings& asked) {
  return {asked.brief.empty() ? asked.given : with_replaced(asked.given, asked.brief), asked.processes};
}

report find(const settings& asked, program_runs& runs) {
  const settings read = with_files_read_if_possible(asked);
  check_request(read, usable_processors());
  observation first = runs.probe(as_in_trials(read), as_in_trials(asked), asked.budget);
  report made{.asked = runs.traced() ? read : asked, .traced = runs.traced()};
  made.host = host_name();
  made.date = date_now();
  const program_facts known{help_of(made.asked, runs, first), runs.traced(), usable_processors(),
                            first.one_pe_a_process};
  made.where = choose_space(made.asked, known);
  configured_program subject(runs, made.where, asked.brief);
  search looking(made.where, subject, {asked.budget, asked.pairs},
                 [&](const comparison& one) { tell(made.where, one); });
  made.found = looking.run({first});
  return made;
}

}  // namespace

int tune(const settings& asked) {
  check_output(asked.output);
  program_runs runs(this_command(), asked.program, asked.phase);  // blocks signals until the report
  report made = find(asked, runs);
  std::string problem;
  try {
    made.written = writes_file(made);
    if (made.written) write_output(asked.output, options_text(made));
  } catch (const error& e) {  // the results are printed all the same
    made.written = false;
    problem = e.what();
  }
  tools::print(asked.json ? report_json(made) : report_text(made));
  if (!problem.empty()) throw error(problem);
  if (made.found.interrupted) throw tools::interrupted(*made.found.interrupted);
  if (!made.found.given_up.empty()) throw error(made.found.given_up);
  return 0;
}

}  // namespace imbrex::tune
