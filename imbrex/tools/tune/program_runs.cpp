// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/program_runs.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/tune/trace_evidence.hpp>

namespace imbrex::tune {
namespace {

std::string reason(const tools::trial_result& ended, nanoseconds limit) {
  if (ended.timed_out) return "took longer than " + tools::readable_time(static_cast<double>(limit.count()));
  const std::string last_line = tools::telling_line(ended);
  return "ended with status " + std::to_string(ended.status) +
         (last_line.empty() ? "" : ": " + printable(last_line));
}

[[noreturn]] void refuse(const observation& failed, nanoseconds limit) {
  throw error("the program cannot be measured as it is: " + failed.failure +
              (failed.cost >= limit ? "; raise --seconds, or shorten it with --short" : ""));
}

}  // namespace

observation program_runs::probe(const start& with_runtime, const start& otherwise, nanoseconds limit) {
  observation with_trace = run(with_runtime.program_arguments, with_runtime.processes, limit);
  if (with_trace.failure.empty()) return with_trace;
  if (!phase_.empty() || !may_lack_trace_) refuse(with_trace, limit);
  traced_ = false;
  const nanoseconds left = limit - with_trace.cost;
  observation without = run(otherwise.program_arguments, otherwise.processes, left);
  if (!without.failure.empty()) refuse(without, left);
  fmt::print(stderr, "imbrex tune: with --trace the program {}; so the time of its process is measured\n",
             with_trace.failure);
  without.cost += with_trace.cost;
  without.lost += with_trace.lost;
  return without;
}

observation program_runs::run(const arguments& program_arguments, int processes, nanoseconds limit) {
  const std::string trace = folder_.file("trace");
  std::vector<std::string> command;
  if (processes > 1) command = {launcher_, "run", "-n", std::to_string(processes)};
  command.push_back(program_);
  const arguments all = traced_ ? with_options(program_arguments, {"--trace", trace, "--trace-full", "wait"})
                                : program_arguments;
  command.insert(command.end(), all.begin(), all.end());
  const tools::trial_result ended = trials_.run(command, limit);
  may_lack_trace_ = !ended.timed_out && !(ended.status == 0 && std::filesystem::exists(trace));
  const auto began = std::chrono::steady_clock::now();
  observation result = measured(ended, limit, trace);
  folder_.clear();
  result.cost = ended.wall + (std::chrono::steady_clock::now() - began);
  result.lost = ended.lost;
  return result;
}

observation program_runs::measured(const tools::trial_result& ended, nanoseconds limit,
                                   const std::string& trace) const {
  if (ended.status != 0) return {.failure = reason(ended, limit)};
  if (!traced_) return {.time = ended.wall};
  if (!std::filesystem::exists(trace)) return {.failure = "wrote no trace, though it was given --trace"};
  if (std::filesystem::exists(trace + "-2"))
    return {
        .failure =
            "ran Imbrex more than once, and only the first of its runs would be measured; give it arguments "
            "for one run, such as one value of each list"};
  try {
    return read_trace(trace, phase_);
  } catch (const error& e) {
    return {.failure = e.what()};
  }
}

tools::trial_result program_runs::print(const arguments& words, nanoseconds limit) {
  arguments command{program_};
  command.insert(command.end(), words.begin(), words.end());
  return trials_.run(command, limit);
}

}  // namespace imbrex::tune
