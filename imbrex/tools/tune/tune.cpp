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

/// The time limit of --help and of estimates: a program without these options may run instead.
constexpr nanoseconds print_limit = 5s;

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

/// The program's output with these words. Its duration is added to the first run's.
std::string printed_by(const settings& request, program_runs& runs, const arguments& words,
                       observation& first) {
  const tools::trial_result ended = runs.print(words, std::min(print_limit, request.budget - first.cost));
  first.cost += ended.wall;
  first.lost += ended.lost;
  return ended.output;
}

/// The program's help, which tells its options for the ODF; not needed if the user has named values.
std::string help_of(const settings& request, program_runs& runs, observation& first) {
  if (std::ranges::find(request.vary, "--odf", &variation::option) != request.vary.end()) return {};
  arguments words = words_of_program(request.program, request.program_arguments);
  words.emplace_back("--help");
  return printed_by(request, runs, words, first);
}

/// The program's estimates of values of --odf; none of a job of several processes.
odf_estimates estimates_of(const settings& request, program_runs& runs, const std::string& help,
                           observation& first) {
  if (request.processes > 1 || !names_option(help, estimates_option)) return {};
  return read_estimates(
      printed_by(request, runs, with_options(request.program_arguments, {estimates_option}), first));
}

/// Reads options files, except in programs without the runtime, whose --options may mean anything. A program
/// with the runtime reports errors in a file itself.
settings with_files_read_if_possible(const settings& request) {
  try {
    return with_files_read(request);
  } catch (const usage_error&) {
    return request;
  }
}

start as_in_trials(const settings& request) {
  return {request.brief.empty() ? request.program_arguments
                                : with_replaced(request.program_arguments, request.brief),
          request.processes};
}

report find(const settings& request, program_runs& runs) {
  const settings read = with_files_read_if_possible(request);
  check_request(read, usable_processors());
  observation first = runs.probe(as_in_trials(read), as_in_trials(request), request.budget);
  report result{.request = runs.traced() ? read : request, .traced = runs.traced()};
  result.host = host_name();
  result.date = date_now();
  program_facts known{help_of(result.request, runs, first), runs.traced(), usable_processors(),
                      first.one_pe_a_process};
  known.estimates = estimates_of(result.request, runs, known.help, first);
  result.where = choose_space(result.request, known);
  configured_program subject(runs, result.where, request.brief);
  search looking(result.where, subject, {request.budget, request.pairs},
                 [&](const comparison& one) { tell(result.where, one); });
  result.found = looking.run({first});
  return result;
}

}  // namespace

int tune(const settings& request) {
  check_output(request.output);
  program_runs runs(this_command(), request.program, request.phase);  // blocks signals until the report
  report result = find(request, runs);
  std::string problem;
  try {
    result.written = writes_file(result);
    if (result.written) write_output(request.output, options_text(result));
  } catch (const error& e) {  // the results are printed all the same
    result.written = false;
    problem = e.what();
  }
  tools::print(request.json ? report_json(result) : report_text(result));
  if (!problem.empty()) throw error(problem);
  if (result.found.interrupted) throw tools::interrupted(*result.found.interrupted);
  if (!result.found.abort_reason.empty()) throw error(result.found.abort_reason);
  return 0;
}

}  // namespace imbrex::tune
