// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/command.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/nearest.hpp>
#include <imbrex/base/quantity.hpp>
#include <imbrex/tools/overlap/figures.hpp>
#include <imbrex/tools/overlap/input.hpp>
#include <imbrex/tools/overlap/report.hpp>

namespace imbrex::overlap {
namespace {

constexpr double bytes_per_megabyte = 1e6;
constexpr std::size_t most_values = 100;
constexpr nanoseconds most_latency = std::chrono::minutes(1);

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  for (std::size_t end = text.find(','); end != std::string::npos; end = text.find(',', begin)) {
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  all.push_back(text.substr(begin));
  return all;
}

[[noreturn]] void refuse(const std::string& option, const std::string& given, const std::string& why) {
  throw usage_error(option + " " + given.substr(0, 60) + ": " + why);
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
  if (!rate || *rate == 0)
    refuse(option, text,
           "the bandwidth must be 1B/s or more, such as " + option +
               (option == "--bandwidth" ? " 1MB/s,400MB/s,5GB/s" : " 4us,950MB/s"));
  return static_cast<double>(*rate) / bytes_per_megabyte;
}

/// Ascending, each once.
template <class Value, class Read>
std::vector<Value> list_of(const std::string& option, const std::string& text, const Read& read) {
  const auto given = parts(text);
  if (given.size() > most_values)
    refuse(option, text, "there may be at most " + std::to_string(most_values) + " values; leave some out");
  std::vector<Value> all;
  for (const std::string& one : given) all.push_back(read(one));
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

void read_testbed(const std::string& text, network& testbed) {
  const auto given = parts(text);
  if (given.size() != 2)
    refuse("--testbed", text, "write a latency and a bandwidth, such as --testbed 4us,950MB/s");
  testbed.latency = latency_of("--testbed", given[0], nanoseconds(1));
  testbed.bandwidth = bandwidth_of("--testbed", given[1]);
}

[[noreturn]] void refuse_unknown(const std::string& given) {
  static constexpr std::array<std::string_view, 7> known{"--json",    "--svg", "--latency", "--bandwidth",
                                                         "--testbed", "--gap", "--help"};
  const std::string name = given.substr(0, given.find('='));
  const auto meant = nearest(name, known);
  if (!given.starts_with('-'))
    throw usage_error("unknown argument " + given + ": imbrex overlap reads one file");
  throw usage_error(
      "unknown option " + name +
      (meant.empty() ? ": see imbrex overlap --help" : "; did you mean " + std::string(meant) + "?"));
}

void draw(const std::filesystem::path& directory, std::span<const application> of, const survey& over) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem)
    throw error("--svg " + directory.string() + ": the directory cannot be made: " + problem.message());
  for (const figure& one : draw_figures(of, over)) {
    std::ofstream out(directory / one.file, std::ios::binary);
    out << one.svg;
    out.close();
    if (!out)
      throw error((directory / one.file).string() + " cannot be written: " + std::strerror(errno) +
                  "; name another directory with --svg");
  }
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> arguments) {
  CLI::App app(
      "Tells how much of a program's communication its computation could hide, by the method of Sancho et "
      "al.\n"
      "(SC2006), from the parameters in a file of TOML or JSON: see docs/overlap.md.",
      "imbrex overlap");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.allow_extras();
  settings asked;
  std::string latencies;
  std::string bandwidths;
  std::string testbed;
  std::string gap;
  std::string figures;
  app.add_option("FILE", asked.file, "the parameters of the programs")->type_name("");
  app.add_flag("--json", asked.json, "print one object of JSON instead of tables");
  const auto* const svg =
      app.add_option("--svg", figures, "draw the paper's figures 6 to 10 there")->type_name("DIRECTORY");
  const auto* const all_latencies =
      app.add_option("--latency", latencies, "of the networks: 1us,2us,4us,8us if not given")
          ->type_name("TIME,...");
  const auto* const all_bandwidths =
      app.add_option("--bandwidth", bandwidths,
                     "of the networks: 1,10,50,100,200,400,950,2000 and 5000MB/s if not given; overlap is\n"
                     "compared with the largest without")
          ->type_name("RATE,...");
  const auto* const here =
      app.add_option("--testbed", testbed, "the network that there is: 4us,950MB/s if not given")
          ->type_name("TIME,RATE");
  const auto* const least_gap =
      app.add_option("--gap", gap, "between two small messages of a processor: 1us if not given")
          ->type_name("TIME");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& e) {
    throw usage_error(std::string(e.what()) + "; see imbrex overlap --help");
  }
  if (const auto unknown = app.remaining(); !unknown.empty()) refuse_unknown(unknown.front());
  if (asked.file.empty())
    throw usage_error("no file; write imbrex overlap FILE, with the parameters that docs/overlap.md lists");
  if (all_latencies->count() > 0)
    asked.over.latencies = list_of<microseconds>("--latency", latencies, [](const std::string& one) {
      return latency_of("--latency", one, nanoseconds(1));
    });
  if (all_bandwidths->count() > 0)
    asked.over.bandwidths = list_of<double>(
        "--bandwidth", bandwidths, [](const std::string& one) { return bandwidth_of("--bandwidth", one); });
  if (here->count() > 0) read_testbed(testbed, asked.over.testbed);
  if (least_gap->count() > 0) asked.over.testbed.gap = latency_of("--gap", gap, nanoseconds(0));
  if (svg->count() > 0) {
    if (figures.empty()) throw usage_error("--svg: the directory is empty; write --svg figures");
    asked.figures = figures;
  }
  return asked;
}

void print_overlap(const settings& asked) {
  const auto programs = read_applications(asked.file);
  if (asked.figures) draw(*asked.figures, programs, asked.over);
  const std::string text =
      asked.json ? report_json(programs, asked.over).dump() + "\n" : report_text(programs, asked.over);
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw error(std::string("the standard output cannot be written: ") + std::strerror(errno));
}

}  // namespace imbrex::overlap
