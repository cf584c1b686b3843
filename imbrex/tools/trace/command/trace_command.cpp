// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/command/trace_command.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/host/replace_file.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/analysis.hpp>
#include <imbrex/tools/trace/convert_to_otf2.hpp>
#include <imbrex/tools/trace/convert_to_perfetto.hpp>
#include <imbrex/tools/trace/page/page.hpp>
#include <imbrex/tools/trace/phase_time.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/report_json.hpp>
#include <imbrex/tools/trace/report_text.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {
namespace {

std::uint64_t time_since_start(const std::string& option, const std::string& input) {
  const auto time = parse_duration(input);
  if (!time)
    throw usage_error(option + " " + input + " is no time; write one since the start of the run, such as " +
                      option + " 1.5ms");
  return static_cast<std::uint64_t>(time->count());
}

void write_page(const std::string& file, const std::string& page) {
  if (const std::error_code problem = replace_file(file, page))
    throw error(file + " cannot be written: " + problem.message());
  print(file + ": " + readable_bytes(static_cast<double>(page.size())) + ", for a browser\n");
}

/// "a.trace.html"; for two traces "a.trace-b.trace.html", which does not overwrite the page of the first
/// alone.
std::string name_of_page(const std::vector<std::string>& files) {
  if (files.size() == 1) return files.front() + ".html";
  return files.front() + "-" + std::filesystem::path(files.back()).filename().string() + ".html";
}

/// The options of `imbrex trace report` as written.
struct report_options {
  std::vector<std::string> files;
  std::optional<std::string> output, from, to, phase;
  bool text = false;
  bool json = false;
};

std::optional<std::string> read_options(report_options& input, std::span<const std::string> words) {
  return command("imbrex trace report",
                 "FILE [FILE2] [--output FILE.html] [--from TIME] [--to TIME]\n"
                 "FILE [FILE2] --text | --json [--phase NAME]",
                 "Reports on the traces of one or two runs: time of the PEs and of entries, reasons for idle "
                 "time, messages, communication covered by computation, the critical path, and ideal bounds. "
                 "The figures of two runs stand side by side. FILE was written by a run with --trace FILE; "
                 "the files of its other processes, FILE.1 and so on, are found beside it.")
      .arguments(input.files)
      .option("--output", "FILE.html", input.output,
              "file of the page for a browser, with timelines, tables and charts, which is made without "
              "--text and --json (default FILE with .html added)")
      .option("--phase", "NAME", input.phase,
              "restrict the tables to times at which any PE was in a phase of this name")
      .option("--from", "TIME", input.from,
              "time since the start from which the page of a long run shows single slices and messages, such "
              "as 1.5ms (default 0s)")
      .option("--to", "TIME", input.to,
              "time until which the page shows them (default as long as there is room)")
      .flag("--text", input.text, "print tables")
      .flag("--json", input.json, "print one object of JSON; times are in ns")
      .read(words);
}

void check_files(const std::vector<std::string>& files) {
  if (files.empty())
    throw usage_error("no trace to report on; name the file that a run with --trace FILE has written");
  if (files.size() > 2)
    throw usage_error("at most two traces can be compared, and " + std::to_string(files.size()) +
                      " are named; leave some out");
}

/// The options of `imbrex trace convert` as written.
struct conversion_options {
  std::vector<std::string> files;
  std::optional<std::string> to, output;
};

std::optional<std::string> read_options(conversion_options& input, std::span<const std::string> words) {
  return command("imbrex trace convert", "FILE --to perfetto --output OUT\nFILE --to otf2 --output FOLDER",
                 "Writes a trace as a file for the viewer at ui.perfetto.dev, or as an archive of OTF2, "
                 "FOLDER/traces.otf2, for Vampir and others.")
      .arguments(input.files)
      .option("--to", "FORMAT", input.to, "perfetto or otf2")
      .option("--output", "OUT", input.output, "the file to write, or the folder of the archive")
      .read(words);
}

}  // namespace

std::variant<report_settings, std::string> parse_report(std::span<const std::string> words) {
  report_options input;
  if (auto help = read_options(input, words)) return *std::move(help);
  if (input.json && input.text) throw usage_error("--text and --json exclude each other; leave one out");
  report_settings request{
      .files = input.files, .output = input.output.value_or(""), .phase = input.phase.value_or("")};
  if (input.json) request.as = report_settings::form::json;
  if (input.text) request.as = report_settings::form::text;
  if (request.as != report_settings::form::page && (input.output || input.from || input.to))
    throw usage_error(
        "--output, --from and --to are for the page, which --text and --json replace; leave them out");
  if (input.phase && request.as == report_settings::form::page)
    throw usage_error(
        "--phase is for --text and --json; the page shows all of the run, with the phases in it: choose a "
        "part of it "
        "by --from and --to");
  if (input.from) request.from = time_since_start("--from", *input.from);
  if (input.to) request.to = time_since_start("--to", *input.to);
  if (request.from >= request.to) throw usage_error("--from must be before --to; exchange them");
  check_files(request.files);
  return request;
}

std::variant<conversion_settings, std::string> parse_conversion(std::span<const std::string> words) {
  conversion_options input;
  if (auto help = read_options(input, words)) return *std::move(help);
  if (input.files.size() != 1)
    throw usage_error(std::to_string(input.files.size()) +
                      " traces to convert; name one file that a run with --trace FILE has written");
  if (!input.to) throw usage_error("--to is missing; write --to perfetto or --to otf2");
  if (*input.to != "perfetto" && *input.to != "otf2")
    throw usage_error("--to " + *input.to + ": no such format; write --to perfetto or --to otf2");
  const bool to_otf2 = *input.to == "otf2";
  if (input.output.value_or("").empty())
    throw usage_error(to_otf2 ? "--output is missing: say which folder to write, such as --output run-otf2"
                              : "--output is missing: say which file to write, such as --output run.pftrace");
  return conversion_settings{input.files.front(), to_otf2, *input.output};
}

int convert_trace(const conversion_settings& request) {
  allow_many_descriptors();  // a run has one file per process, all open at once
  trace::reader in(request.file);
  in.refuse_to_overwrite("--output", request.output);
  (request.to_otf2 ? convert_to_otf2 : convert_to_perfetto)(in, request.output);
  for (const std::string& warning : in.warnings())
    std::fprintf(stderr, "imbrex trace: warning: %s\n", printable(warning).c_str());
  return 0;
}

int print_report(const report_settings& request) {
  allow_many_descriptors();
  std::vector<run_report> runs;
  std::vector<std::unique_ptr<timeline>> timelines;
  timeline_limits limits;
  limits.details /= request.files.size();
  limits.bins /= request.files.size();
  limits.from = request.from;
  limits.to = request.to;
  for (const std::string& file : request.files) {
    trace::reader in(file);
    in.refuse_to_overwrite("--output", request.output);
    auto& drawn = timelines.emplace_back();
    if (request.as == report_settings::form::page) drawn = std::make_unique<timeline>(limits);
    if (request.phase.empty()) {
      runs.push_back(analyse(in, drawn.get()));
    } else {
      const phase_time phase = read_phase(in, request.phase);
      trace::reader again(file);
      runs.push_back(analyse(again, phase));
      runs.back().phase = request.phase;
    }
    runs.back().file = file;
  }
  const auto shorter = [](const run_report& l, const run_report& r) { return l.length < r.length; };
  const std::uint64_t longest = std::ranges::max_element(runs, shorter)->length;
  if (request.from > longest)
    throw usage_error("--from " + readable_time(static_cast<double>(request.from)) + " is after the end, " +
                      readable_time(static_cast<double>(longest)) + " since the start; give an earlier time");
  switch (request.as) {
    case report_settings::form::page:
      write_page(request.output.empty() ? name_of_page(request.files) : request.output,
                 report_page(runs, timelines));
      break;
    case report_settings::form::text:
      print(runs.size() == 2 ? comparison_text(runs[0], runs[1]) : report_text(runs[0]));
      break;
    case report_settings::form::json: print(report_json(runs)); break;
  }
  return 0;
}

command_list trace_commands() {
  return {"imbrex trace",
          "Reports on traces of runs (--trace FILE of a program), and converts them.",
          {{"report", "report on the traces of one or two runs", parse_and_run<parse_report, print_report>},
           {"convert", "write a trace for Perfetto, or as an archive of OTF2",
            parse_and_run<parse_conversion, convert_trace>}}};
}

}  // namespace imbrex::tools
