// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/verify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>
#include <imbrex/tools/process/trial.hpp>
#include <imbrex/tools/replay/read_dataflow.hpp>
#include <imbrex/tools/replay/replay.hpp>
#include <imbrex/tools/trace/table.hpp>

namespace imbrex::overlap {
namespace {

using tools::dataflow;

link_model model_of(const network& of) {
  return {std::chrono::round<nanoseconds>(of.latency), static_cast<std::uint64_t>(of.bandwidth * 1e6),
          std::chrono::round<nanoseconds>(of.gap)};
}

/// Runs one program repeatedly.
class recorded_runs {
 public:
  explicit recorded_runs(const verification_settings& request) : request_(request) {}

  dataflow record(const std::vector<std::string>& options) {
    auto command = request_.command;
    command.insert(command.end(), options.begin(), options.end());
    const std::string file = folder_.file("trace");
    command.insert(command.end(), {"--trace", file, "--trace-full", "wait"});
    const auto result = trials_.run(command, request_.limit);
    if (result.timed_out)
      throw error("a run took longer than " + duration_text(request_.limit) +
                  "; give it fewer iterations, or more time with --limit");
    if (result.status != 0)
      throw error("a run ended with status " + std::to_string(result.status) +
                  (telling_line(result).empty() ? "" : ": " + telling_line(result)) +
                  "; it must take the options of the runtime and end with status 0");
    if (!std::filesystem::exists(file))
      throw error(
          "the program ended but wrote no trace; it must give its arguments to imbrex::parse_options");
    if (std::filesystem::exists(file + "-2"))
      throw error(
          "the program ran Imbrex more than once, and only the first of its runs would be looked at; give it "
          "arguments for one run, such as one value of each list");
    trace::reader in(file);
    auto run = tools::read_dataflow(in);
    for (const std::string& warning : in.warnings())
      std::fprintf(stderr, "imbrex overlap: warning: %s\n", printable(warning).c_str());
    folder_.clear();
    return run;
  }

 private:
  const verification_settings& request_;
  tools::temporary_folder folder_;
  tools::trial_runner trials_;
};

std::vector<std::string> options_for(const network& over) {
  const link_model model = model_of(over);
  return {"--net-latency",       duration_text(model.latency),
          "--net-bandwidth",     rate_text(model.bandwidth),
          "--net-injection-gap", duration_text(model.injection_gap)};
}

/// Stands for "no network" in simulated time: a device model may have a network of its own, whose values
/// would replace zeros.
const network next_to_none{nanoseconds(1), max_net_bandwidth / 1e6, microseconds(0)};

bool is_in_simulated_time(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  char** rest = words.data();
  return parse_options(count, rest).machine == machine_kind::simulated;
}

/// The time of the phases of that name, or of the whole run.
microseconds time_of(const dataflow& run, const std::string& phase, std::uint64_t length,
                     const std::vector<std::uint64_t>& phase_times) {
  const auto named = std::ranges::find(run.phase_names, phase);
  if (!phase.empty() && named == run.phase_names.end())
    throw error("a run over a network has no phase " + phase + ", but the run without one has");
  const auto place = static_cast<std::size_t>(named - run.phase_names.begin());
  const auto time = phase.empty() ? length : phase_times[place];
  if (time == 0) throw error((phase.empty() ? "a run" : "phase " + phase) + " took no time, or did not end");
  return nanoseconds(time);
}

microseconds recorded_time(const dataflow& run, const std::string& phase) {
  return time_of(run, phase, run.length, recorded_phase_times(run));
}

microseconds replayed_time(const dataflow& run, const std::string& phase, const network& over) {
  const auto result = tools::replay(run, model_of(over));
  if (result.never != 0)
    throw error("the trace of the run lacks something: " + std::to_string(result.never) +
                " parts of it wait for what does not come, so nothing can be predicted from it");
  return time_of(run, phase, result.length, result.phase_times);
}

std::string percent(double part) { return fmt::format("{:+.2f} %", 100 * part); }
std::string microseconds_cell(microseconds time) { return fmt::format("{:.6g}", time.count()); }

}  // namespace

double relative_error(microseconds predicted, microseconds achieved) { return predicted / achieved - 1; }

error_summary errors(const verification& of, microseconds verified_point::* predicted) {
  std::vector<double> all;
  for (const verified_point& one : of.points)
    all.push_back(std::abs(relative_error(one.*predicted, one.achieved)));
  std::ranges::sort(all);
  return {(all[all.size() / 2] + all[(all.size() - 1) / 2]) / 2, all.back()};
}

verification verify(const verification_settings& request) {
  recorded_runs runs(request);
  const std::string& phase = request.part.phase;
  verification result;
  for (const microseconds latency : request.over.latencies)
    for (const double bandwidth : request.over.bandwidths)
      result.points.push_back({request.over.at(latency, bandwidth), microseconds::max(), {}, {}});
  const bool is_simulated = is_in_simulated_time(request.command);
  const network none = is_simulated ? next_to_none : network{microseconds(0), 0, microseconds(0)};
  const auto without = is_simulated ? options_for(none) : std::vector<std::string>();
  std::optional<dataflow> best;
  for (int repeat = 0; repeat < request.repeats; ++repeat) {
    dataflow run = runs.record(without);
    const auto measured = measure(run, request.part, request.command.front());
    if (!best || recorded_time(run, phase) < recorded_time(*best, phase)) {
      best = std::move(run);
      result.measured = measured;
    }
    for (verified_point& one : result.points)
      one.achieved = std::min(one.achieved, recorded_time(runs.record(options_for(one.over)), phase));
  }
  result.without_network = recorded_time(*best, phase);
  result.replayed_without = replayed_time(*best, phase, none);
  const application program = as_it_is(result.measured.program);
  for (verified_point& one : result.points) {
    one.replayed = replayed_time(*best, phase, one.over);
    one.modelled = result.without_network +
                   static_cast<double>(result.measured.iterations) * exposed_time(program, one.over);
  }
  return result;
}

std::string verification_text(const verification& of) {
  tools::table result(
      {"latency, us", "MB/s", "achieved, us", "replayed, us", "off", "by the paper, us", "off"});
  for (const verified_point& one : of.points)
    result.row({microseconds_cell(one.over.latency), fmt::format("{:.10g}", one.over.bandwidth),
                microseconds_cell(one.achieved), microseconds_cell(one.replayed),
                percent(relative_error(one.replayed, one.achieved)), microseconds_cell(one.modelled),
                percent(relative_error(one.modelled, one.achieved))});
  const auto replayed = errors(of, &verified_point::replayed);
  const auto modelled = errors(of, &verified_point::modelled);
  return fmt::format(
      "Without a network {} us, replayed so {} us ({}); {} iterations\n\n{}\n"
      "Off by: replayed {:.2f} % in the median and {:.2f} % at worst; by the paper {:.2f} % and {:.2f} %\n",
      microseconds_cell(of.without_network), microseconds_cell(of.replayed_without),
      percent(relative_error(of.replayed_without, of.without_network)), of.measured.iterations, result.text(),
      100 * replayed.median, 100 * replayed.worst, 100 * modelled.median, 100 * modelled.worst);
}

nlohmann::ordered_json verification_json(const verification& of) {
  auto points = nlohmann::ordered_json::array();
  for (const verified_point& one : of.points)
    points.push_back({{"latency_us", one.over.latency.count()},
                      {"bandwidth_MBs", one.over.bandwidth},
                      {"gap_us", one.over.gap.count()},
                      {"achieved_us", one.achieved.count()},
                      {"replayed_us", one.replayed.count()},
                      {"modelled_us", one.modelled.count()}});
  const auto summary = [&](microseconds verified_point::* predicted) {
    const auto off = errors(of, predicted);
    return nlohmann::ordered_json{{"median", off.median}, {"worst", off.worst}};
  };
  return {{"without_network_us", of.without_network.count()},
          {"replayed_without_us", of.replayed_without.count()},
          {"iterations", of.measured.iterations},
          {"points", std::move(points)},
          {"replayed_off", summary(&verified_point::replayed)},
          {"modelled_off", summary(&verified_point::modelled)}};
}

}  // namespace imbrex::overlap
