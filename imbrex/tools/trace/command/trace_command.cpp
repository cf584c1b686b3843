// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/command/trace_command.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/host/replace_file.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/convert_to_otf2.hpp>
#include <imbrex/tools/trace/convert_to_perfetto.hpp>
#include <imbrex/tools/trace/page/page.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/report_json.hpp>
#include <imbrex/tools/trace/report_text.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {
namespace {

std::string help() {
  return "imbrex trace report FILE [FILE2] [--output FILE.html | --text | --json] [--from TIME] [--to TIME]\n"
         "Tells what the traces of one or two runs say: what the PEs did, time by entry, why PEs were idle,\n"
         "messages, how far computation covers communication, the critical path, and a bound of the ideal. "
         "Of\n"
         "two runs the figures stand side by side. FILE is what a run with --trace FILE has written; the "
         "files\n"
         "of its other processes, FILE.1 and so on, are found beside it.\n\n"
         "imbrex trace convert FILE --to perfetto --output OUT\n"
         "Writes a trace as a file for the viewer at ui.perfetto.dev.\n\n"
         "imbrex trace convert FILE --to otf2 --output FOLDER\n"
         "Writes a trace as an archive of OTF2, FOLDER/traces.otf2, for Vampir and others.\n\n"
         "  --output FILE.html  where the page goes that is made without --text and --json: timelines, "
         "tables "
         "and\n"
         "                      charts for a browser, which needs no network; else FILE with .html added\n"
         "  --from TIME, --to TIME  of which part of a long run the page shows single slices and messages:\n"
         "                      times since its start such as 1.5ms; else as much from the start as has "
         "room\n"
         "  --text              print tables\n"
         "  --json              print one object of JSON; times are in ns\n"
         "  --help              print this\n";
}

[[noreturn]] void refuse(const std::string& option) {
  static constexpr std::array<std::string_view, 6> known{"--output", "--from", "--to",
                                                         "--text",   "--json", "--help"};
  const auto meant = nearest(option, known);
  throw usage_error(
      "unknown option " + option +
      (meant.empty() ? "; see imbrex trace --help" : "; did you mean " + std::string(meant) + "?"));
}

std::uint64_t time_since_start(const std::string& option, const std::string& given) {
  const auto time = parse_duration(given);
  if (!time)
    throw usage_error(option + " " + given + " is no time; write one since the start of the run, such as " +
                      option + " 1.5ms");
  return static_cast<std::uint64_t>(time->count());
}

void write_page(const std::string& file, const std::string& page) {
  if (const std::error_code problem = replace_file(file, page))
    throw error(file + " cannot be written: " + problem.message());
  print(file + ": " + readable_bytes(static_cast<double>(page.size())) + ", for a browser\n");
}

/// "a.trace.html"; of two traces "a.trace-b.trace.html", so that it does not replace that of the first alone.
std::string name_of_page(const std::vector<std::string>& files) {
  if (files.size() == 1) return files.front() + ".html";
  return files.front() + "-" + std::filesystem::path(files.back()).filename().string() + ".html";
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

/// The values of options, by their names.
using given_values = std::map<std::string, std::string, std::less<>>;

/// Takes the value of one of these options, if that is what stands there.
bool take_value(given_values& values, std::span<const std::string> arguments, std::size_t& at) {
  for (const std::string_view option : {"--output", "--from", "--to"}) {
    if (!is_option(arguments[at], option)) continue;
    values[std::string(option)] = value_of(arguments, at, option);
    return true;
  }
  return false;
}

std::string value_in(const given_values& values, std::string_view option) {
  const auto found = values.find(option);
  return found == values.end() ? std::string{} : found->second;
}

void take_report(trace_settings& asked, const given_values& values, bool text, bool json) {
  if (json && text) throw usage_error("--text and --json exclude each other; leave one out");
  asked.as = json ? trace_settings::form::json : text ? trace_settings::form::text : asked.as;
  if (asked.as != trace_settings::form::page && !values.empty())
    throw usage_error(
        "--output, --from and --to are for the page, which --text and --json are made instead of; leave them "
        "out");
  if (values.contains("--from")) asked.from = time_since_start("--from", value_in(values, "--from"));
  if (values.contains("--to")) asked.to = time_since_start("--to", value_in(values, "--to"));
  if (asked.from >= asked.to) throw usage_error("--from must be before --to; exchange them");
  if (asked.files.empty())
    throw usage_error("no trace to report on; name the file that a run with --trace FILE has written");
  if (asked.files.size() > 2)
    throw usage_error("at most two traces can be compared, and " + std::to_string(asked.files.size()) +
                      " are named; leave some out");
}

void take_conversion(trace_settings& asked, const given_values& values, bool text, bool json) {
  if (json || text || values.contains("--from"))
    throw usage_error("--json, --text and --from are of imbrex trace report; leave them out");
  if (asked.files.size() != 1)
    throw usage_error(std::to_string(asked.files.size()) +
                      " traces to convert; name one file that a run with --trace FILE has written");
  if (!values.contains("--to")) throw usage_error("--to is missing; write --to perfetto or --to otf2");
  const std::string format = value_in(values, "--to");
  if (format != "perfetto" && format != "otf2")
    throw usage_error("--to " + format + ": no such format; write --to perfetto or --to otf2");
  asked.to_otf2 = format == "otf2";
  if (asked.output.empty())
    throw usage_error(asked.to_otf2
                          ? "--output is missing: say which folder to write, such as --output run-otf2"
                          : "--output is missing: say which file to write, such as --output run.pftrace");
}

}  // namespace

std::variant<trace_settings, std::string> parse_trace(std::span<const std::string> arguments) {
  trace_settings asked;
  bool text = false;
  bool json = false;
  given_values values;
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
      json = true;
    } else if (given == "--text") {
      text = true;
    } else if (!take_value(values, arguments, at)) {
      refuse(given);
    }
  }
  if (words.empty())
    throw usage_error("nothing to do; write imbrex trace report FILE, or see imbrex trace --help");
  asked.what = action_of(words.front());
  asked.files.assign(words.begin() + 1, words.end());
  asked.output = value_in(values, "--output");
  if (asked.what == trace_settings::action::convert)
    take_conversion(asked, values, text, json);
  else
    take_report(asked, values, text, json);
  return asked;
}

int run_trace(const trace_settings& asked) {
  allow_many_descriptors();  // a run has a file for each process, and all are open at once
  if (asked.what == trace_settings::action::convert) {
    trace::reader in(asked.files[0]);
    in.refuse_to_overwrite("--output", asked.output);
    (asked.to_otf2 ? convert_to_otf2 : convert_to_perfetto)(in, asked.output);
    for (const std::string& warning : in.warnings())
      std::fprintf(stderr, "imbrex trace: warning: %s\n", printable(warning).c_str());
    return 0;
  }
  std::vector<run_report> runs;
  std::vector<std::unique_ptr<timeline>> timelines;
  timeline_limits limits;
  limits.details /= asked.files.size();
  limits.bins /= asked.files.size();
  limits.from = asked.from;
  limits.to = asked.to;
  for (const std::string& file : asked.files) {
    trace::reader in(file);
    in.refuse_to_overwrite("--output", asked.output);
    auto& drawn = timelines.emplace_back();
    if (asked.as == trace_settings::form::page) drawn = std::make_unique<timeline>(limits);
    runs.push_back(analyse(in, drawn.get()));
    runs.back().file = file;
  }
  const auto shorter = [](const run_report& l, const run_report& r) { return l.length < r.length; };
  const std::uint64_t longest = std::ranges::max_element(runs, shorter)->length;
  if (asked.from > longest)
    throw usage_error("--from " + readable_time(static_cast<double>(asked.from)) + " is after the end, " +
                      readable_time(static_cast<double>(longest)) + " since the start; give an earlier time");
  switch (asked.as) {
    case trace_settings::form::page:
      write_page(asked.output.empty() ? name_of_page(asked.files) : asked.output,
                 report_page(runs, timelines));
      break;
    case trace_settings::form::text:
      print(runs.size() == 2 ? comparison_text(runs[0], runs[1]) : report_text(runs[0]));
      break;
    case trace_settings::form::json: print(report_json(runs)); break;
  }
  return 0;
}

}  // namespace imbrex::tools
