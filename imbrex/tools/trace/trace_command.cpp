// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/trace_command.hpp>

#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/nearest.hpp>
#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/report_json.hpp>
#include <imbrex/tools/trace/report_text.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {
namespace {

std::string help() {
  return "imbrex trace report FILE [FILE2] [--text | --json]\n"
         "Tells what the traces of one or two runs say: what the PEs did, time by entry, why PEs were idle,\n"
         "messages, how far computation covers communication, the critical path, and a bound of the ideal. "
         "Of\n"
         "two runs the figures stand side by side. FILE is what a run with --trace FILE has written; the "
         "files\n"
         "of its other processes, FILE.1 and so on, are found beside it.\n\n"
         "  --text    print tables (what is done without, too)\n"
         "  --json    print one object of JSON; times are in ns\n"
         "  --help    print this\n";
}

[[noreturn]] void refuse(const std::string& option) {
  static constexpr std::array<std::string_view, 3> known{"--text", "--json", "--help"};
  const auto meant = nearest(option, known);
  throw usage_error(
      "unknown option " + option +
      (meant.empty() ? "; see imbrex trace --help" : "; did you mean " + std::string(meant) + "?"));
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw error(std::string("the standard output cannot be written: ") + std::strerror(errno));
}

/// A run has a file for each process, and all are open at once.
void allow_many_files() {
  struct ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::variant<trace_settings, std::string> parse_trace(std::span<const std::string> arguments) {
  trace_settings asked;
  bool text = false;
  std::vector<std::string> words;
  bool options = true;
  for (const std::string& given : arguments) {
    if (!options || !given.starts_with('-')) {
      words.push_back(given);
    } else if (given == "--") {
      options = false;
    } else if (given == "--help" || given == "-h") {
      return help();
    } else if (given == "--json") {
      asked.json = true;
    } else if (given == "--text") {
      text = true;
    } else {
      refuse(given);
    }
  }
  if (words.empty())
    throw usage_error("nothing to do; write imbrex trace report FILE, or see imbrex trace --help");
  static constexpr std::array<std::string_view, 1> actions{"report"};
  if (words.front() != actions.front()) {
    const auto meant = nearest(words.front(), actions);
    throw usage_error(
        "unknown command '" + words.front() + "'; " +
        (meant.empty() ? "see imbrex trace --help" : "did you mean " + std::string(meant) + "?"));
  }
  if (asked.json && text) throw usage_error("--text and --json exclude each other; leave one out");
  asked.files.assign(words.begin() + 1, words.end());
  if (asked.files.empty())
    throw usage_error("no trace to report on; name the file that a run with --trace FILE has written");
  if (asked.files.size() > 2)
    throw usage_error("at most two traces can be compared, and " + std::to_string(asked.files.size()) +
                      " are named; leave some out");
  return asked;
}

int run_trace(const trace_settings& asked) {
  allow_many_files();
  std::vector<run_report> runs;
  for (const std::string& file : asked.files) {
    trace::reader in(file);
    runs.push_back(analyse(in));
    runs.back().file = file;
  }
  print(asked.json         ? report_json(runs)
        : runs.size() == 2 ? comparison_text(runs[0], runs[1])
                           : report_text(runs[0]));
  return 0;
}

}  // namespace imbrex::tools
