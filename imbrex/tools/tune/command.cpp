// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/command.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::tune {
namespace {

/// With fewer pairs chance cannot be excluded.
constexpr int least_pairs = 3;
constexpr int most_pairs = 100;
constexpr double most_seconds = 1e6;

[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& why) {
  throw usage_error(std::string(option) + " " + value + ": " + why);
}

int whole_number(std::string_view option, const std::string& text, int least, int most) {
  const auto number = parse_number<int>(text);
  if (!number || *number < least || *number > most)
    refuse(option, text,
           "the value must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return *number;
}

std::vector<std::string> words_of(std::string_view option, const std::string& text) {
  const auto words = command_words(text);
  if (!words) refuse(option, text, "a quote is not closed");
  if (words->empty() || !words->front().starts_with('-') || words->front() == "-" || words->front() == "--")
    refuse(option, text,
           "the value must begin with an option of the program, such as " + std::string(option) +
               (option == "--vary" ? " '--odf 1,2,4'" : " '--iters 5'"));
  return *words;
}

/// Refuses to vary options that trials set themselves, and options that affect how other options are read.
void check_varied(const std::string& text, const std::string& option) {
  if (option == "-n") refuse("--vary", text, "processes are varied by --processes");
  if (option == "--options")
    refuse("--vary", text, "options files are read before anything is varied; name the options in them");
  if (option == "--trace" || option.starts_with("--trace-"))
    refuse("--vary", text, "the trials are measured by their traces, so leave this option out");
  if (option == "--machine")
    refuse("--vary", text, "times of different machines cannot be compared; tune on each");
}

variation variation_of(const std::string& text) {
  const auto words = words_of("--vary", text);
  variation result{words[0], {words.begin() + 1, words.end()}};
  if (result.values.size() == 1) result.values = listed_values(result.values[0]);
  if (result.option.find('=') != std::string::npos || std::ranges::count(result.values, "") > 0)
    refuse("--vary", text,
           "write the option, a blank, and its values with commas between, such as --vary "
           "'--odf 1,2,4'");
  check_varied(text, result.option);
  return result;
}

/// Parses --short, and refuses options that determine the variations or the way trials run.
arguments short_of(const std::string& text) {
  static constexpr std::array<std::string_view, 12> fixed{
      "-n",           "--pes",     "--machine", "--device", "--devices",    "--device-map", "--device-model",
      "--completion", "--options", "--trace",   "--bind",   "--comm-thread"};
  arguments words = words_of("--short", text);
  for (const std::string_view option : fixed)
    if (has_option(words, option))
      refuse("--short", text,
             std::string(option) + " must be in trials as it is without; leave it out of --short");
  return words;
}

nanoseconds seconds_of(const std::string& text) {
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 0.1 && *seconds <= most_seconds))
    refuse("--seconds", text, "the time must be seconds from 0.1 to 1e6, such as --seconds 60");
  return nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
}

void add_variation(settings& request, const std::string& text) {
  variation one = variation_of(text);
  if (std::ranges::find(request.vary, one.option, &variation::option) != request.vary.end())
    refuse("--vary", text, "--vary has named this option before; write all its values in one --vary");
  request.vary.push_back(std::move(one));
}

void set_processes(settings& request, const std::string& text) {
  request.processes = whole_number("-n", text, 1, max_processes);
  request.has_process_count = true;
}

void set_among(settings& request, const std::string& text) {
  request.among.clear();
  for (const std::string& one : listed_values(text))
    request.among.push_back(whole_number("--processes", one, 1, max_processes));
}

std::optional<std::string> read_options(settings& request, std::vector<std::string>& program,
                                        std::span<const std::string> words) {
  using text = const std::string&;
  return command(
             "imbrex tune", "[OPTIONS] [--] PROGRAM [ARGUMENTS...]",
             "Runs the program several times with other options, reports which are faster and why, and "
             "writes them to a file for PROGRAM [ARGUMENTS...] --options tuned.options. See docs/tune.md.")
      .option(
          "-n", "N", [&](text value) { set_processes(request, value); },
          "number of processes of the untuned job (default 1)")
      .option(
          "--vary", "'OPTION V,W,...'", [&](text value) { add_variation(request, value); },
          "try these values of an option of the program, or, without values, the option and its absence; may "
          "be repeated. --odf is varied without --vary if PROGRAM --help names it. Values with commas are "
          "separated by blanks")
      .option(
          "--processes", "N,...", [&](text value) { set_among(request, value); },
          "numbers of processes to divide the PEs among (default all that divide the number of PEs)")
      .option(
          "--short", "'ARGUMENTS'", [&](text value) { request.brief = short_of(value); },
          "arguments that replace the program's of the same names in trials, such as '--iters 5'")
      .option(
          "--phase", "NAME", [&](text value) { request.phase = value; },
          "measure the phases of this name in the trace, as by trace::phase (default the whole run)")
      .option(
          "--seconds", "S", [&](text value) { request.budget = seconds_of(value); },
          "time limit of all trials together (default 60)")
      .option(
          "--repeat", "N",
          [&](text value) { request.pairs = whole_number("--repeat", value, least_pairs, most_pairs); },
          "pairs of runs in a comparison (default 3); the last has at least 10")
      .option(
          "--output", "FILE", [&](text value) { request.output = value; },
          "file to write (default tuned.options)")
      .flag("--json", request.json, "print one object of JSON; times are in ns")
      .program(program)
      .read(words);
}

void take_program(settings& request, std::span<const std::string> words) {
  if (words.empty() || words.front().empty())
    throw usage_error("no program to tune; write imbrex tune [OPTIONS] PROGRAM [ARGUMENTS...]");
  request.program = words.front();
  request.program_arguments.assign(words.begin() + 1, words.end());
  const bool is_launcher = std::filesystem::path(request.program).filename() == "imbrex";
  if (is_launcher && !request.program_arguments.empty() && request.program_arguments.front() == "run")
    throw usage_error("imbrex run is no program to tune; write imbrex tune -n N PROGRAM [ARGUMENTS...]");
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> words) {
  settings request;
  std::vector<std::string> program;
  if (auto help = read_options(request, program, words)) return *std::move(help);
  take_program(request, program);
  return request;
}

settings with_files_read(settings request) {
  options_file read = with_files_read(request.program_arguments);
  request.program_arguments = std::move(read.words);
  request.processes_by_file = !request.has_process_count && read.processes != 0;
  if (request.processes_by_file) request.processes = read.processes;
  return request;
}

}  // namespace imbrex::tune
