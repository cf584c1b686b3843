// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/trace_command.hpp>

#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/nearest.hpp>
#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/convert_to_perfetto.hpp>
#include <imbrex/tools/trace/readable.hpp>
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
         "imbrex trace convert FILE --to perfetto --output OUT\n"
         "Writes a trace as a file for the viewer at ui.perfetto.dev.\n\n"
         "  --text    print tables (what is done without, too)\n"
         "  --json    print one object of JSON; times are in ns\n"
         "  --help    print this\n";
}

[[noreturn]] void refuse(const std::string& option) {
  static constexpr std::array<std::string_view, 5> known{"--text", "--json", "--to", "--output", "--help"};
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

/// What stands behind an option, as the next word or after '='.
std::string value_of(std::span<const std::string> arguments, std::size_t& at, std::string_view option) {
  const std::string& given = arguments[at];
  if (given.size() > option.size()) return given.substr(option.size() + 1);
  if (++at == arguments.size())
    throw usage_error(std::string(option) + " needs a value; see imbrex trace --help");
  return arguments[at];
}

bool is_option(const std::string& given, std::string_view option) {
  return given == option || (given.starts_with(option) && given[option.size()] == '=');
}

trace_settings::action action_of(const std::string& word) {
  static constexpr std::array<std::string_view, 2> actions{"report", "convert"};
  if (word == "report") return trace_settings::action::report;
  if (word == "convert") return trace_settings::action::convert;
  const auto meant = nearest(word, actions);
  throw usage_error("unknown command '" + word + "'; " +
                    (meant.empty() ? "see imbrex trace --help" : "did you mean " + std::string(meant) + "?"));
}

void check_report(const trace_settings& asked) {
  if (asked.files.empty())
    throw usage_error("no trace to report on; name the file that a run with --trace FILE has written");
  if (asked.files.size() > 2)
    throw usage_error("at most two traces can be compared, and " + std::to_string(asked.files.size()) +
                      " are named; leave some out");
}

void check_conversion(const trace_settings& asked, const std::string& format) {
  if (asked.files.size() != 1)
    throw usage_error(std::to_string(asked.files.size()) +
                      " traces to convert; name one file that a run with --trace FILE has written");
  if (format != "perfetto")
    throw usage_error((format.empty() ? "--to is missing" : "--to " + format + ": no such format") +
                      "; write --to perfetto");
  if (asked.output.empty())
    throw usage_error("--output is missing: say which file to write, such as --output run.pftrace");
  std::error_code none;
  if (std::filesystem::equivalent(asked.files[0], asked.output, none))
    throw usage_error("--output " + asked.output + " is the trace itself; name another file");
}

}  // namespace

std::variant<trace_settings, std::string> parse_trace(std::span<const std::string> arguments) {
  trace_settings asked;
  bool text = false;
  std::string format;
  std::vector<std::string> words;
  bool options = true;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& given = arguments[at];
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
    } else if (is_option(given, "--to")) {
      format = value_of(arguments, at, "--to");
    } else if (is_option(given, "--output")) {
      asked.output = value_of(arguments, at, "--output");
    } else {
      refuse(given);
    }
  }
  if (words.empty())
    throw usage_error("nothing to do; write imbrex trace report FILE, or see imbrex trace --help");
  asked.what = action_of(words.front());
  asked.files.assign(words.begin() + 1, words.end());
  if (asked.what == trace_settings::action::convert) {
    if (asked.json || text) throw usage_error("--json and --text are of imbrex trace report; leave them out");
    check_conversion(asked, format);
    return asked;
  }
  if (asked.json && text) throw usage_error("--text and --json exclude each other; leave one out");
  if (!format.empty() || !asked.output.empty())
    throw usage_error("--to and --output are of imbrex trace convert; leave them out");
  check_report(asked);
  return asked;
}

int run_trace(const trace_settings& asked) {
  allow_many_files();
  if (asked.what == trace_settings::action::convert) {
    trace::reader in(asked.files[0]);
    convert_to_perfetto(in, asked.output);
    for (const std::string& warning : in.warnings())
      std::fprintf(stderr, "imbrex trace: warning: %s\n", printable(warning).c_str());
    return 0;
  }
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
