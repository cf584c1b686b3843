// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/command.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::tune {
namespace {

constexpr std::array<std::string_view, 8> with_value{"-n",      "--processes", "--vary",   "--short",
                                                     "--phase", "--seconds",   "--repeat", "--output"};
constexpr std::array<std::string_view, 10> known{"-n",        "--processes", "--vary",   "--short", "--phase",
                                                 "--seconds", "--repeat",    "--output", "--json",  "--help"};
/// With fewer, nothing can be told from chance.
constexpr int least_pairs = 3;
constexpr int most_pairs = 100;
constexpr double most_seconds = 1e6;

std::string help() {
  return "imbrex tune [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
         "Runs the program some times with other options, tells which are faster and why, and writes a file\n"
         "that it can be run with: PROGRAM [ARGUMENTS...] --options tuned.options. See docs/tune.md.\n\n"
         "  -n N               how many processes the job has as it is; 1 unless given\n"
         "  --vary 'OPTION V,W,...'  try these values of an option of the program, or, without values, "
         "whether\n"
         "                     it is given; may be repeated. --odf is varied by itself if PROGRAM --help "
         "names\n"
         "                     it. Values with commas are divided by blanks\n"
         "  --processes N,...  among how many processes to divide the PEs; all that divide their number "
         "unless\n"
         "                     given\n"
         "  --short 'ARGUMENTS'  what the trials get in place of the program's own of these names, such as\n"
         "                     '--iters 5'\n"
         "  --phase NAME       measure the phases of this name in the trace (trace::phase); unless given, "
         "the\n"
         "                     run\n"
         "  --seconds S        how long all trials may take together; 60 unless given\n"
         "  --repeat N         pairs of runs in a comparison; 3 unless given. The last has at least 10\n"
         "  --output FILE      the file to write; tuned.options unless given\n"
         "  --json             print one object of JSON; times are in ns\n"
         "  --help             print this\n";
}

[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& why) {
  throw usage_error(std::string(option) + " " + value + ": " + why);
}

[[noreturn]] void refuse_unknown(const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  const auto meant = nearest(name, known);
  throw usage_error("unknown option " + name +
                    (meant.empty()
                         ? ": options before the program are those of imbrex tune, see imbrex tune --help"
                         : "; did you mean " + std::string(meant) + "?"));
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

/// What a trial gets from the command itself, or what says how others are read, cannot have other values.
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
  variation made{words[0], {words.begin() + 1, words.end()}};
  if (made.values.size() == 1) made.values = listed_values(made.values[0]);
  if (made.option.find('=') != std::string::npos || std::ranges::count(made.values, "") > 0)
    refuse("--vary", text,
           "write the option, a blank, and its values with commas between, such as --vary "
           "'--odf 1,2,4'");
  check_varied(text, made.option);
  return made;
}

/// What decides what is varied, or how trials are run.
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

void add_variation(settings& asked, const std::string& text) {
  variation one = variation_of(text);
  if (std::ranges::find(asked.vary, one.option, &variation::option) != asked.vary.end())
    refuse("--vary", text, "--vary has named this option before; write all its values in one --vary");
  asked.vary.push_back(std::move(one));
}

void set(settings& asked, std::string_view option, const std::string& value) {
  if (option == "-n") {
    asked.processes = whole_number(option, value, 1, max_processes);
    asked.processes_said = true;
  }
  if (option == "--repeat") asked.pairs = whole_number(option, value, least_pairs, most_pairs);
  if (option == "--seconds") asked.budget = seconds_of(value);
  if (option == "--phase") asked.phase = value;
  if (option == "--output") asked.output = value;
  if (option == "--vary") add_variation(asked, value);
  if (option == "--short") asked.brief = short_of(value);
  if (option != "--processes") return;
  asked.among.clear();
  for (const std::string& one : listed_values(value))
    asked.among.push_back(whole_number(option, one, 1, max_processes));
}

void take_program(settings& asked, std::span<const std::string> words) {
  if (words.empty() || words.front().empty())
    throw usage_error("no program to tune; write imbrex tune [OPTIONS] PROGRAM [ARGUMENTS...]");
  asked.program = words.front();
  asked.given.assign(words.begin() + 1, words.end());
  const bool is_launcher = std::filesystem::path(asked.program).filename() == "imbrex";
  if (is_launcher && !asked.given.empty() && asked.given.front() == "run")
    throw usage_error("imbrex run is no program to tune; write imbrex tune -n N PROGRAM [ARGUMENTS...]");
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> words) {
  settings asked;
  std::size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-') && words[at] != "--"; ++at) {
    const std::string& given = words[at];
    if (given == "--help" || given == "-h") return help();
    const std::string name = given.substr(0, given.find('='));
    if (given == "--json") {
      asked.json = true;
    } else if (std::ranges::find(with_value, name) == with_value.end()) {
      refuse_unknown(given);
    } else if (name.size() < given.size()) {
      set(asked, name, given.substr(name.size() + 1));
    } else if (at + 1 < words.size()) {
      set(asked, name, words[++at]);
    } else {
      throw usage_error(name + " needs a value; see imbrex tune --help");
    }
  }
  if (at < words.size() && words[at] == "--") ++at;
  take_program(asked, words.subspan(at));
  return asked;
}

settings with_files_read(settings asked) {
  options_file read = with_files_read(asked.given);
  asked.given = std::move(read.words);
  asked.processes_by_file = !asked.processes_said && read.processes != 0;
  if (asked.processes_by_file) asked.processes = read.processes;
  return asked;
}

}  // namespace imbrex::tune
