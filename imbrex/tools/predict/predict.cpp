// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/predict/predict.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/replace_file.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/predict/predictor.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>
#include <imbrex/tools/process/trial.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/tune/trace_evidence.hpp>
#include <imbrex/trace/flow.hpp>

namespace imbrex::predict {
namespace {

using namespace std::chrono_literals;

/// The time limit of --help: a program without this option may run instead.
constexpr nanoseconds help_limit = 5s;

/// Options of the runtime that hold for the programs that this process starts.
class runtime_options {
 public:
  explicit runtime_options(const tune::arguments& words) {
    if (const char* const text = std::getenv(name)) {
      before_ = text;
      had_any_ = true;
    }
    const std::string all = (had_any_ ? before_ + " " : "") + command_line_of(words);
    ::setenv(name, all.c_str(), 1);
  }
  runtime_options(const runtime_options&) = delete;
  runtime_options& operator=(const runtime_options&) = delete;
  ~runtime_options() { had_any_ ? ::setenv(name, before_.c_str(), 1) : ::unsetenv(name); }

 private:
  static constexpr const char* name = "IMBREX_OPTIONS";
  std::string before_;
  bool had_any_ = false;
};

class real_program final : public simulated_program {
 public:
  explicit real_program(const settings& request) : request_(request) {}

  tune::observation run(const tune::arguments& options, const tune::arguments& words,
                        nanoseconds limit) override {
    flow_.reset();
    tune::observation seen = run_once(options, words, limit, records_flows_);
    // A program may have settings that allow no flow, and that its command line does not show.
    if (records_flows_ && seen.failure.find("--record-flow") != seen.failure.npos) {
      records_flows_ = false;
      seen = run_once(options, words, limit, false);
    }
    return seen;
  }
  std::optional<trace::flow> take_flow() override { return std::exchange(flow_, std::nullopt); }
  std::string help() override {
    tune::arguments command{request_.program};
    const auto script = tune::words_of_program(request_.program, request_.program_arguments);
    command.insert(command.end(), script.begin(), script.end());
    command.emplace_back("--help");
    return trials_.run(command, help_limit).output;
  }

 private:
  tune::observation run_once(const tune::arguments& options, const tune::arguments& words, nanoseconds limit,
                             bool records_flow) {
    const std::string trace = folder_.file("trace");
    const std::string flow = folder_.file("flow");
    tune::arguments all = options;
    all.insert(all.end(), {"--trace", trace, "--trace-full", "wait"});
    if (records_flow) all.insert(all.end(), {"--record-flow", flow});
    const runtime_options hold(all);
    tune::arguments command{request_.program};
    command.insert(command.end(), words.begin(), words.end());
    tell(options, words);
    const tools::trial_result ended = trials_.run(command, limit);
    tune::observation seen = observed(ended, trace, limit);
    if (seen.failure.empty() && std::filesystem::exists(flow)) flow_ = trace::read_flow(flow);
    folder_.clear();
    return seen;
  }

  /// Progress for the user, on a terminal only.
  static void tell(const tune::arguments& options, const tune::arguments& words) {
    if (::isatty(STDERR_FILENO) == 0) return;
    fmt::print(stderr, "imbrex predict: {} {}\n", command_line_of(options), command_line_of(words));
  }

  tune::observation observed(const tools::trial_result& ended, const std::string& trace,
                             nanoseconds limit) const {
    if (ended.timed_out)
      return {.failure = "took longer than the " + tools::readable_time(static_cast<double>(limit.count())) +
                         " that were left; raise --seconds"};
    if (ended.status != 0) {
      const std::string line = tools::telling_line(ended);
      return {.failure = "ended with status " + std::to_string(ended.status) +
                         (line.empty() ? "" : ": " + printable(line))};
    }
    if (!std::filesystem::exists(trace))
      return {.failure = "wrote no trace, though IMBREX_OPTIONS asked for one: is it a program of Imbrex?"};
    if (std::filesystem::exists(trace + "-2"))
      return {.failure = "ran Imbrex more than once; give it arguments for one run"};
    try {
      tune::observation seen = tune::read_trace(trace, request_.phase);
      if (!seen.simulated_time)
        return {.failure = "did not run in simulated time; does it set its own machine?"};
      return seen;
    } catch (const error& e) {
      return {.failure = e.what()};
    }
  }

  const settings& request_;
  bool records_flows_ = !request_.executes_all && request_.phase.empty();  // a flow has no phases
  std::optional<trace::flow> flow_;
  tools::trial_runner trials_;
  tools::temporary_folder folder_;
};

}  // namespace

int predict(const settings& request) {
  real_program program(request);
  const prediction found = predict_all(request, program);
  if (!request.picture.empty())
    if (const auto problem = replace_file(request.picture, picture(found)))
      throw error("--svg " + printable(request.picture) +
                  ": the file cannot be written: " + problem.message());
  tools::print(request.json ? report_json(found) : report_text(found));
  return 0;
}

}  // namespace imbrex::predict
