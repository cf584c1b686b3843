// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/top_command.hpp>

#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/report_client.hpp>
#include <imbrex/tools/top_page.hpp>
#include <imbrex/tools/who_command.hpp>

namespace imbrex::tools {
namespace {

constexpr std::chrono::seconds between_pages{1};
/// Moves the cursor of a terminal to its first place, and clears what is below.
constexpr const char* new_page = "\x1b[H\x1b[J";

}  // namespace

std::variant<top_settings, std::string> parse_top(std::span<const std::string> words) {
  top_settings settings;
  std::vector<std::string> processes;
  std::optional<std::string> times;
  command top(
      "imbrex top", "[-n TIMES] [PID]",
      "Asks running programs each second what they do, and shows their PEs, the entries that were found "
      "running most often, the heaviest chares (if --balance measures loads) and the most awaited "
      "things. PID is as for `imbrex who`.");
  top.option("-n", "TIMES", times, "pages to print; else until the runs end").arguments(processes);
  if (auto help = top.read(words)) return *std::move(help);
  if (times) {
    const auto number = parse_number<int>(*times);
    if (!number || *number < 1) throw usage_error("-n " + *times + ": give a number of pages from 1 on");
    settings.times = *number;
  }
  settings.process = process_in(processes);
  return settings;
}

int show_top(const top_settings& settings) {
  top_page page;
  for (int turn = 0; settings.times == 0 || turn < settings.times; ++turn) {
    if (turn > 0) std::this_thread::sleep_for(between_pages);
    std::string silent;
    page.begin();
    try {
      for (const pid_t one : processes_to_ask(settings.process)) {
        try {
          page.add(ask_for_report(one, true));
        } catch (const error& e) {
          silent += std::string(e.what()) + "\n";
        }
      }
    } catch (const error&) {
      if (turn == 0) throw;
      return 0;  // the runs have ended
    }
    print((::isatty(STDOUT_FILENO) == 1 ? new_page : turn > 0 ? "\n" : "") + page.text() + silent);
  }
  return 0;
}

}  // namespace imbrex::tools
