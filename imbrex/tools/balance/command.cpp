// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/balance/command.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/host/replace_file.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/balance/python_strategies.hpp>
#include <imbrex/tools/balance/report.hpp>
#include <imbrex/tools/balance/trace_record.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>

namespace imbrex::tools::balance {
namespace {

constexpr int most_pes = 1'000'000;
constexpr int most_periods = 10'000;
constexpr int usual_periods = 20;
constexpr const char* note_on_traces =
    "\nThe trace has the times of elements and their indices. It does not tell which elements cannot move, "
    "the\n"
    "loads that classes expect, nodes and devices: all but groups count as movable, on one node, by their "
    "times.\n";
constexpr std::string_view usual_strategies = "none,auto,segments,curve,bisect,refine";

int pes_of(const char* option, const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > most_pes)
    throw usage_error(std::string(option) + " " + printable(text) +
                      ": the number of PEs must be a whole number from 1 to " + std::to_string(most_pes));
  return *number;
}

int periods_of(const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 2 || *number > most_periods)
    throw usage_error("--periods " + printable(text) +
                      ": the number of periods must be a whole number from 2 to " +
                      std::to_string(most_periods));
  return *number;
}

/// The names and Python files between commas. An unknown name is refused.
std::vector<std::string> strategies_of(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  for (const std::string& name : names)
    if (!is_python_file(name)) static_cast<void>(imbrex::balance::find_strategy(name));
  return names;
}

std::string known_strategies() {
  std::string all;
  for (const std::string& name : imbrex::balance::strategy_names()) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void check_page(const std::string& page, const std::string& record) {
  if (page.empty()) throw usage_error("--html: the file is empty; write --html balance.html");
  std::error_code ignored;
  if (std::filesystem::equivalent(page, record, ignored))
    throw usage_error("--html " + printable(page) + ": this is the record; name another file");
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> words) {
  settings request;
  std::vector<std::string> files;
  std::string strategies(usual_strategies);
  command balance(
      "imbrex balance", "FILE [OPTIONS]",
      "Replays the record of a run (--balance-record FILE of a program), or its trace (--trace FILE), with "
      "other strategies. Each decides on each period, and is judged by the loads of the next one. See "
      "docs/balancing.md.");
  balance.arguments(files)
      .option(
          "--strategy", "NAME,...", [&](const std::string& text) { strategies = text; },
          "strategies to compare (default " + strategies + "); there are: " + known_strategies() +
              "; and FILE.py, whose functions with @imbrex.strategy take part")
      .option(
          "--pes", "N", [&](const std::string& text) { request.on.pes = pes_of("--pes", text); },
          "replay on a machine with this number of PEs; objects begin there in equal numbers along the curve")
      .option(
          "--node-pes", "N",
          [&](const std::string& text) { request.on.node_pes = pes_of("--node-pes", text); },
          "number of PEs on each node (default as in the run)")
      .option(
          "--periods", "N", [&](const std::string& text) { request.periods = periods_of(text); },
          "cut a trace into this number of periods (default " + std::to_string(usual_periods) + ")")
      .option("--html", "OUT", request.html, "write a page with a picture of max/avg over the periods")
      .note(
          "With none, objects stay where they were in the first period. FILE.py needs python3 with the "
          "package "
          "imbrex. A strategy of a program's own in C++ is part of that program, and cannot be replayed by "
          "this "
          "command: run the program with --balance NAME.");
  if (auto help = balance.read(words)) return *std::move(help);
  if (files.size() != 1)
    throw usage_error(files.empty() ? "no record; give the FILE that a program wrote with --balance-record, "
                                      "or with --trace"
                                    : "unknown argument '" + files[1] + "': imbrex balance reads one record");
  request.file = files.front();
  request.strategies = strategies_of(strategies);
  if (request.html) check_page(*request.html, request.file);
  return request;
}

int replay_record(const settings& request) {
  std::optional<temporary_folder> folder;
  std::string file = request.file;
  if (is_trace(request.file)) {
    file = folder.emplace().file("record");
    write_record_of_trace(request.file, request.periods.value_or(usual_periods), file);
  } else if (request.periods) {
    throw usage_error("--periods is for traces, and " + printable(request.file) + " is none: leave it out");
  }
  imbrex::balance::record_reader record(file);
  std::deque<python_strategies> files;
  std::vector<std::string> strategies;
  for (const std::string& name : request.strategies) {
    if (is_python_file(name))
      std::ranges::copy(files.emplace_back(name).names(), std::back_inserter(strategies));
    else
      strategies.push_back(name);
  }
  const replayed_record results = replay(record, strategies, request.on);
  if (request.html)
    if (const std::error_code problem = replace_file(*request.html, report_page(request.file, results)))
      throw usage_error("--html " + printable(*request.html) + " cannot be written: " + problem.message());
  print(report_text(printable(request.file), results));
  if (folder) print(note_on_traces);
  return 0;
}

}  // namespace imbrex::tools::balance
