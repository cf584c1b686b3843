// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/command.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/replace_file.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/overlap/figures.hpp>
#include <imbrex/tools/overlap/input.hpp>
#include <imbrex/tools/overlap/overlap_options.hpp>
#include <imbrex/tools/overlap/parameters.hpp>
#include <imbrex/tools/overlap/report.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::overlap {
namespace {

constexpr double bytes_per_megabyte = 1e6;
constexpr std::size_t most_values = 100;
constexpr nanoseconds most_latency = std::chrono::minutes(1);
constexpr std::uint64_t most_bandwidth = 1'000'000'000'000'000;
constexpr std::int64_t most_iterations = 1'000'000'000;
constexpr std::int64_t most_repeats = 100;

[[noreturn]] void refuse(const std::string& option, const std::string& input, const std::string& why) {
  throw usage_error(option + " " + input.substr(0, 60) + ": " + why);
}

microseconds latency_of(const std::string& option, const std::string& text, nanoseconds least) {
  const auto time = parse_duration(text);
  if (!time || *time < least || *time > most_latency)
    refuse(option, text,
           "the time must be from " + duration_text(least) + " to 60s, such as " + option +
               (option == "--latency" ? " 1us,2us,4us,8us" : " 1us"));
  return *time;
}

double bandwidth_of(const std::string& option, const std::string& text) {
  const auto rate = parse_rate(text);
  if (!rate || *rate == 0 || *rate > most_bandwidth)
    refuse(option, text,
           "the bandwidth must be from 1B/s to " + rate_text(most_bandwidth) + ", such as " + option +
               (option == "--bandwidth" ? " 1MB/s,400MB/s,5GB/s" : " 4us,950MB/s"));
  return static_cast<double>(*rate) / bytes_per_megabyte;
}

/// Parses a list of values; sorts it and removes duplicates.
template <class Value, class Read>
std::vector<Value> list_of(const std::string& option, const std::string& text, const Read& read) {
  const auto input = listed_values(text);
  if (input.size() > most_values)
    refuse(option, text, "there may be at most " + std::to_string(most_values) + " values; leave some out");
  std::vector<Value> all;
  for (const std::string& one : input) {
    if (one.empty()) refuse(option, text, "a value is empty; write it, or leave out the comma");
    all.push_back(read(one));
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

void read_testbed(const std::string& text, network& testbed) {
  const auto input = listed_values(text);
  if (input.size() != 2)
    refuse("--testbed", text, "write a latency and a bandwidth, such as --testbed 4us,950MB/s");
  testbed.latency = latency_of("--testbed", input[0], nanoseconds(1));
  testbed.bandwidth = bandwidth_of("--testbed", input[1]);
}

std::int64_t count_of(const std::string& option, const std::string& text, std::int64_t most) {
  const auto number = parse_number<std::int64_t>(text);
  if (!number || *number < 1 || *number > most)
    refuse(option, text, "the number must be from 1 to " + std::to_string(most));
  return *number;
}

/// Refuses options of the program that the verifying runs set themselves.
void refuse_taken_options(const std::vector<std::string>& command) {
  static constexpr const char* networks = "say which networks with --latency, --bandwidth and --gap";
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> taken{
      {{"--options", "write the program's options out instead"},
       {"--trace", "it is run with traces of its own"},
       {"--net-latency", networks},
       {"--net-bandwidth", networks},
       {"--net-injection-gap", networks}}};
  for (const std::string& word : command)
    for (const auto& [name, instead] : taken)
      if (word.substr(0, word.find('=')) == name)
        throw usage_error("--verify: leave out " + std::string(name) + " of the program; " + instead);
}

/// Checks that there is exactly one source, and that the other options fit it.
void check_sources(const overlap_options& input) {
  const int sources = (input.file.empty() ? 0 : 1) + (input.from ? 1 : 0) + (input.verify ? 1 : 0);
  if (sources == 0)
    throw usage_error(
        "no file; write imbrex overlap FILE, with the parameters that docs/overlap.md lists, or imbrex "
        "overlap --from TRACE");
  if (sources > 1) throw usage_error("choose one of FILE, --from and --verify");
  if (!input.from && !input.verify && (!input.phase.value_or("").empty() || input.iterations))
    throw usage_error("--phase and --iterations are of recorded runs: they need --from or --verify");
  if (!input.from && input.save) throw usage_error("--save writes what was measured: it needs --from");
  if (!input.verify && (input.repeat || input.limit)) throw usage_error("--repeat and --limit need --verify");
}

measured_part part_of(const overlap_options& input) {
  measured_part part{.phase = input.phase.value_or("")};
  if (input.iterations)
    part.iterations =
        static_cast<std::uint64_t>(count_of("--iterations", *input.iterations, most_iterations));
  return part;
}

void take_networks(survey& over, const overlap_options& input) {
  if (input.latency)
    over.latencies = list_of<microseconds>("--latency", *input.latency, [](const std::string& one) {
      return latency_of("--latency", one, nanoseconds(1));
    });
  if (input.bandwidth)
    over.bandwidths = list_of<double>("--bandwidth", *input.bandwidth, [](const std::string& one) {
      return bandwidth_of("--bandwidth", one);
    });
  if (input.testbed) read_testbed(*input.testbed, over.testbed);
  if (input.gap) over.testbed.gap = latency_of("--gap", *input.gap, nanoseconds(0));
}

/// The networks to verify if the user names none: some whose cost hides well behind milliseconds of work, and
/// some whose cost does not.
survey networks_to_verify(const overlap_options& input, survey over) {
  if (!input.latency)
    over.latencies = {microseconds(50), microseconds(100), microseconds(200), microseconds(500),
                      microseconds(1000)};
  if (!input.bandwidth) over.bandwidths = {100, 400, 1000, 10'000};
  if (over.bandwidths.front() * bytes_per_megabyte < static_cast<double>(min_net_bandwidth) ||
      over.best_bandwidth() * bytes_per_megabyte > static_cast<double>(max_net_bandwidth))
    refuse("--bandwidth", *input.bandwidth, "links can be given from 1kB/s to 1000GB/s");
  return over;
}

verification_settings verification_of(const overlap_options& input, const settings& request,
                                      std::vector<std::string> command) {
  if (command.empty() || command.front().empty())
    throw usage_error("--verify: no program; write imbrex overlap --verify -- PROGRAM [ARGUMENTS...]");
  refuse_taken_options(command);
  if (input.svg) throw usage_error("--svg draws the potential overlap, which --verify does not compute");
  verification_settings result{.command = std::move(command),
                               .part = request.part,
                               .over = networks_to_verify(input, request.over),
                               .limit = std::chrono::minutes(1)};
  if (input.repeat) result.repeats = static_cast<int>(count_of("--repeat", *input.repeat, most_repeats));
  if (input.limit)
    result.limit = std::chrono::round<nanoseconds>(latency_of("--limit", *input.limit, nanoseconds(1)));
  return result;
}

void draw(const std::filesystem::path& directory, std::span<const application> of, const survey& over) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem)
    throw error("--svg " + directory.string() + ": the directory cannot be made: " + problem.message() +
                "; name another one");
  for (const figure& one : draw_figures(of, over)) {
    const std::string file = (directory / one.file).string();
    if ((problem = replace_file(file, one.svg)))
      throw error(file + " cannot be written: " + problem.message() + "; name another directory with --svg");
  }
}

void write_parameters(const std::string& file, const application& program) {
  if (const std::error_code problem = replace_file(file, parameters_json({&program, 1}).dump(2) + "\n"))
    throw error("--save " + file + ": the file cannot be written: " + problem.message() +
                "; name another one");
}

measured_program measured_run(const settings& request, std::vector<std::string>& warnings) {
  auto result =
      measure(request.file, request.part, std::filesystem::path(request.file).filename().string(), warnings);
  if (result.program.data.empty())
    throw usage_error(
        request.file +
        ": PEs exchange no messages of the program in the recorded part, so that there is no communication "
        "to overlap; run it with two PEs or more. The method does not cover broadcasts and reductions");
  return result;
}

/// Adds the trace's warnings to the error: an incomplete trace may lack the data to be measured.
measured_program measured_part_of_run(const settings& request, std::vector<std::string>& warnings) {
  try {
    return measured_run(request, warnings);
  } catch (const usage_error& e) {
    if (warnings.empty()) throw;
    throw usage_error(warnings.front() + ". The part that was read is too short for the measurement (" +
                      e.what() + "); record the run again, to its end");
  }
}

/// Measures a recorded run and appends a description for people to `text`.
application measured_application(const settings& request, std::string& text) {
  if (request.save) trace::reader(request.file).refuse_to_overwrite("--save", *request.save);
  std::vector<std::string> warnings;
  const auto measured = measured_part_of_run(request, warnings);
  for (const std::string& warning : warnings)
    std::fprintf(stderr, "imbrex overlap: warning: %s\n", printable(warning).c_str());
  if (request.save) write_parameters(*request.save, measured.program);
  const char* const whole = warnings.empty() ? "the whole run" : "the part of the run that was read";
  text += fmt::format("Measured in {}, {}: {} iterations{}, T_comp {:.5g} us\n\n", request.file,
                      request.part.phase.empty() ? whole : "phase " + request.part.phase, measured.iterations,
                      measured.counted ? ", counted by reference numbers" : "",
                      measured.program.computation.count());
  text += parameters_text({&measured.program, 1});
  return measured.program;
}

int print_verification(const settings& request) {
  const verification found = verify(*request.verify);
  tools::print(request.json ? verification_json(found).dump() + "\n" : verification_text(found));
  return 0;
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  overlap_options input;
  if (auto help = take_options(input, {arguments.begin(), dashes})) return *std::move(help);
  if (!input.verify && dashes != arguments.end())
    throw usage_error("a program after -- is run by imbrex overlap --verify only");
  check_sources(input);
  settings request{.file = input.from.value_or(input.file),
                   .from_trace = input.from.has_value(),
                   .part = part_of(input),
                   .json = input.json,
                   .figures = input.svg,
                   .save = input.save};
  take_networks(request.over, input);
  if (request.figures && request.figures->empty())
    throw usage_error("--svg: the directory is empty; write --svg figures");
  if (input.verify)
    request.verify =
        verification_of(input, request, {std::ranges::next(dashes, 1, arguments.end()), arguments.end()});
  return request;
}

int print_overlap(const settings& request) {
  if (request.verify) return print_verification(request);
  std::string measured_text;
  const auto programs = request.from_trace ? std::vector{measured_application(request, measured_text)}
                                           : read_applications(request.file);
  if (request.figures) draw(*request.figures, programs, request.over);
  tools::print(request.json ? report_json(programs, request.over).dump() + "\n"
                            : measured_text + report_text(programs, request.over));
  return 0;
}

}  // namespace imbrex::overlap
