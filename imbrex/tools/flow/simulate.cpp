// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/flow/simulate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/flow/evaluate.hpp>
#include <imbrex/tools/flow/goal.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/trace/flow.hpp>

namespace imbrex::tools {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 30U;
constexpr std::string_view magic_of_flows = "imbrex";  // other files of Imbrex begin so, too
/// More ranks have no line each.
constexpr std::size_t most_lines = 16;

std::string time_text(std::uint64_t time) { return readable_time(static_cast<double>(time)); }

int print_flow(const simulate_settings& request, std::string_view content) {
  const trace::flow flow = trace::parse_flow(content, request.file);
  const std::string machine = request.machine.empty() ? flow.machine : request.machine;
  const evaluated_run run = evaluate(flow, find_device_model(machine));
  const auto time = static_cast<std::uint64_t>(run.time.count());
  if (request.json) {
    print(nlohmann::json{{"machine", machine},
                         {"time", time},
                         {"recorded_machine", flow.machine},
                         {"recorded_time", flow.facts.time},
                         {"pes", flow.pes()},
                         {"messages", flow.messages.size()},
                         {"events", run.events}}
              .dump() +
          "\n");
  } else {
    print(fmt::format(
        "{} PEs, {} messages, {} operations of devices\nrecorded on {}: {}\nevaluated on {}: {}\n",
        flow.pes(), flow.messages.size(), flow.operations.size() - 1, flow.machine,
        time_text(flow.facts.time), machine, time_text(time)));
  }
  return 0;
}

int print_goal(const simulate_settings& request, std::string_view content) {
  if (!request.machine.empty())
    throw usage_error(
        "--machine " + printable(request.machine) + ": " + printable(request.file) +
        " is no recorded flow; GOAL runs on LogGOPS: give --loggops L=2500,o=1500,g=1000,G=6,O=0,S=65535");
  const goal_times times = evaluate(parse_goal(content, request.file), request.parameters);
  const auto last = std::ranges::max_element(times.ends);
  if (request.json) {
    print(nlohmann::json{{"time", *last}, {"ranks", times.ends}, {"events", times.events}}.dump() + "\n");
    return 0;
  }
  std::string text;
  if (times.ends.size() <= most_lines)
    for (std::size_t r = 0; r < times.ends.size(); ++r)
      text += fmt::format("rank {} ends at {} ns\n", r, times.ends[r]);
  print(text + fmt::format("{} ranks; the last one, rank {}, ends at {} ns ({})\n", times.ends.size(),
                           last - times.ends.begin(), *last, time_text(*last)));
  return 0;
}

}  // namespace

std::variant<simulate_settings, std::string> parse_simulate(std::span<const std::string> words) {
  using text = const std::string&;
  simulate_settings request;
  std::vector<std::string> files;
  const auto help =
      command("imbrex simulate", "[OPTIONS] FILE",
              "Prints the time of a run on another machine: of a flow that a program recorded with "
              "--record-flow, or of "
              "a schedule in GOAL. See docs/predict.md.")
          .option(
              "--machine", "MODEL", [&](text value) { request.machine = value; },
              "machine for a flow: summit, another name that --device-model takes, or a file (default the "
              "machine of "
              "the recorded run)")
          .option(
              "--loggops", "P=N,...", [&](text value) { request.parameters = parse_loggops(value); },
              "parameters for GOAL, in ns and bytes (default L=2500,o=1500,g=1000,G=6,O=0,S=65535)")
          .flag("--json", request.json, "print one object of JSON; times are in ns")
          .arguments(files)
          .read(words);
  if (help) return *help;
  if (files.size() != 1)
    throw usage_error(std::to_string(files.size()) + " files; write imbrex simulate [OPTIONS] FILE");
  request.file = files.front();
  return request;
}

int simulate(const simulate_settings& request) {
  std::string content;
  try {
    content = read_file(request.file, most_bytes);
  } catch (const error& e) {
    throw usage_error(printable(request.file) + " cannot be read: " + e.what());
  }
  return content.starts_with(magic_of_flows) ? print_flow(request, content) : print_goal(request, content);
}

}  // namespace imbrex::tools
