// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/command.hpp>

#include <fmt/format.h>

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
#include <imbrex/base/number.hpp>
#include <imbrex/base/options.hpp>
#include <imbrex/base/quantity.hpp>
#include <imbrex/tools/overlap/figures.hpp>
#include <imbrex/tools/overlap/input.hpp>
#include <imbrex/tools/overlap/parameters.hpp>
#include <imbrex/tools/overlap/report.hpp>

namespace imbrex::overlap {
namespace {

constexpr double bytes_per_megabyte = 1e6;
constexpr std::size_t most_values = 100;
constexpr nanoseconds most_latency = std::chrono::minutes(1);
constexpr std::int64_t most_iterations = 1'000'000'000;
constexpr std::int64_t most_repeats = 100;

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
  static constexpr std::array<std::string_view, 14> known{
      "--json",  "--svg",        "--latency", "--bandwidth", "--testbed", "--gap",   "--from",
      "--phase", "--iterations", "--save",    "--verify",    "--repeat",  "--limit", "--help"};
  const std::string name = given.substr(0, given.find('='));
  const auto meant = nearest(name, known);
  if (!given.starts_with('-'))
    throw usage_error("unknown argument " + given + ": imbrex overlap reads one file");
  throw usage_error(
      "unknown option " + name +
      (meant.empty() ? ": see imbrex overlap --help" : "; did you mean " + std::string(meant) + "?"));
}

std::int64_t count_of(const std::string& option, const std::string& text, std::int64_t most) {
  const auto number = parse_number<std::int64_t>(text);
  if (!number || *number < 1 || *number > most)
    refuse(option, text, "the number must be from 1 to " + std::to_string(most));
  return *number;
}

/// The networks that are looked at if no others are asked for: some that hide well behind milliseconds of work, and some
/// that do not.
void choose_networks_to_verify(survey& over, bool latencies_given, bool bandwidths_given) {
  if (!latencies_given)
    over.latencies = {microseconds(50), microseconds(100), microseconds(200), microseconds(500),
                      microseconds(1000)};
  if (!bandwidths_given) over.bandwidths = {100, 400, 1000, 10'000};
}

/// Options that the runs themselves need.
void refuse_taken_options(const std::vector<std::string>& command) {
  for (const std::string& word : command)
    if (word == "--options" || word.starts_with("--options="))
      throw usage_error("--verify: write the program's options out, instead of --options");
  for (const std::string& word : command)
    for (const std::string_view taken :
         {"--trace", "--net-latency", "--net-bandwidth", "--net-injection-gap"})
      if (word == taken || word.starts_with(std::string(taken) + "="))
        throw usage_error("--verify: leave out " + std::string(taken) + " of the program; " +
                          (taken == "--trace" ? "it is run with traces of its own"
                                              : "say which networks with --latency, --bandwidth and --gap"));
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

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw error(std::string("the standard output cannot be written: ") + std::strerror(errno));
}

void write_parameters(const std::string& file, const std::string& trace, const application& program) {
  std::error_code none;
  if (std::filesystem::equivalent(file, trace, none))
    throw usage_error("--save " + file + " is the trace itself; name another file");
  std::ofstream out(file, std::ios::binary);
  out << parameters_json({&program, 1}).dump(2) << "\n";
  out.close();
  if (!out)
    throw error("--save " + file + ": the file cannot be written: " + std::strerror(errno) +
                "; name another one");
}

/// What a recorded run has told, and in words for people what that was.
application measured_application(const settings& asked, std::string& text) {
  trace::reader in(asked.file);
  const auto run = tools::read_dataflow(in);
  for (const std::string& warning : in.warnings()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  const auto measured = measure(run, asked.part, std::filesystem::path(asked.file).filename().string());
  if (measured.program.data.empty())
    throw usage_error(
        asked.file +
        ": PEs exchange no messages of the program in what was recorded, so there is nothing to overlap; "
        "run it with two PEs or more. Of broadcasts and reductions the method knows nothing");
  if (asked.save) write_parameters(*asked.save, asked.file, measured.program);
  text += fmt::format("Measured in {}, {}: {} iterations{}, T_comp {:.5g} us\n\n", asked.file,
                      asked.part.phase.empty() ? "the whole run" : "phase " + asked.part.phase,
                      measured.iterations, measured.counted ? ", counted by reference numbers" : "",
                      measured.program.computation.count());
  text += parameters_text({&measured.program, 1});
  return measured.program;
}

void print_verification(const settings& asked) {
  const verification found = verify(*asked.verify);
  print(asked.json ? verification_json(found).dump() + "\n" : verification_text(found));
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> arguments) {
  CLI::App app(
      "Tells how much of a program's communication its computation could hide, by the method of Sancho et "
      "al.\n"
      "(SC2006), from the parameters in a file of TOML or JSON, or measured in a recorded run:\n"
      "imbrex overlap FILE, or imbrex overlap --from TRACE. With --verify a program is run over modelled\n"
      "networks and compared with what one run without predicts:\n"
      "imbrex overlap --verify [OPTIONS] -- PROGRAM [ARGUMENTS...]; see docs/overlap.md.",
      "imbrex overlap");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.allow_extras();
  settings asked;
  std::string latencies;
  std::string bandwidths;
  std::string testbed;
  std::string gap;
  std::string figures;
  std::string from;
  std::string iterations;
  std::string save;
  std::string repeats;
  std::string limit;
  bool verifies = false;
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
  const auto* const trace_file =
      app.add_option("--from", from, "measure the parameters in this trace (--trace TRACE of a program)")
          ->type_name("TRACE");
  app.add_option("--phase", asked.part.phase, "of a run, look at the phases of that name: else at all of it")
      ->type_name("NAME");
  const auto* const iteration_count =
      app.add_option("--iterations", iterations,
                     "that these hold: else they are counted by the reference numbers of messages")
          ->type_name("N");
  const auto* const saved =
      app.add_option("--save", save, "write the measured parameters as a file that imbrex overlap takes")
          ->type_name("FILE.json");
  app.add_flag("--verify", verifies,
               "run the program behind -- over the networks: latencies of 50us to 1ms and bandwidths of\n"
               "100MB/s to 10GB/s if not given");
  const auto* const repeat_count =
      app.add_option("--repeat", repeats,
                     "how often each of these runs is made: 3 if not given, the fastest "
                     "counts")
          ->type_name("N");
  const auto* const time_limit =
      app.add_option("--limit", limit, "that one run may take: 60s if not given")->type_name("TIME");
  const auto dashes = std::ranges::find(arguments, "--");
  std::vector<std::string> reversed(arguments.begin(), dashes);
  std::ranges::reverse(reversed);
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& e) {
    throw usage_error(std::string(e.what()) + "; see imbrex overlap --help");
  }
  if (const auto unknown = app.remaining(); !unknown.empty()) refuse_unknown(unknown.front());
  if (iteration_count->count() > 0)
    asked.part.iterations = static_cast<std::uint64_t>(count_of("--iterations", iterations, most_iterations));
  if (saved->count() > 0) asked.save = save;
  if (verifies) {
    asked.verify.emplace();
    asked.verify->command.assign(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
    if (asked.verify->command.empty() || asked.verify->command.front().empty())
      throw usage_error("--verify: no program; write imbrex overlap --verify -- PROGRAM [ARGUMENTS...]");
    refuse_taken_options(asked.verify->command);
  } else if (dashes != arguments.end()) {
    throw usage_error("a program behind -- is run by imbrex overlap --verify only");
  }
  const int sources = (asked.file.empty() ? 0 : 1) + (trace_file->count() > 0 ? 1 : 0) + (verifies ? 1 : 0);
  if (sources == 0)
    throw usage_error(
        "no file; write imbrex overlap FILE, with the parameters that docs/overlap.md lists, or imbrex "
        "overlap --from TRACE");
  if (sources > 1) throw usage_error("choose one of FILE, --from and --verify");
  asked.from_trace = trace_file->count() > 0;
  if (asked.from_trace) asked.file = from;
  if (!asked.from_trace && !verifies && (!asked.part.phase.empty() || asked.part.iterations))
    throw usage_error("--phase and --iterations are of recorded runs: they need --from or --verify");
  if (!asked.from_trace && asked.save) throw usage_error("--save writes what was measured: it needs --from");
  if (!verifies && (repeat_count->count() > 0 || time_limit->count() > 0))
    throw usage_error("--repeat and --limit need --verify");
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
  if (verifies) {
    if (asked.figures)
      throw usage_error("--svg draws what could be overlapped, and --verify does not tell that");
    if (all_bandwidths->count() > 0 &&
        (asked.over.bandwidths.front() * bytes_per_megabyte < static_cast<double>(min_net_bandwidth) ||
         asked.over.best_bandwidth() * bytes_per_megabyte > static_cast<double>(max_net_bandwidth)))
      refuse("--bandwidth", bandwidths, "links can be given from 1kB/s to 1000GB/s");
    choose_networks_to_verify(asked.over, all_latencies->count() > 0, all_bandwidths->count() > 0);
    asked.verify->part = asked.part;
    asked.verify->over = asked.over;
    if (repeat_count->count() > 0)
      asked.verify->repeats = static_cast<int>(count_of("--repeat", repeats, most_repeats));
    asked.verify->limit = time_limit->count() > 0
                              ? std::chrono::round<nanoseconds>(latency_of("--limit", limit, nanoseconds(1)))
                              : std::chrono::minutes(1);
  }
  return asked;
}

void print_overlap(const settings& asked) {
  if (asked.verify) return print_verification(asked);
  std::string measured_text;
  const auto programs = asked.from_trace ? std::vector{measured_application(asked, measured_text)}
                                         : read_applications(asked.file);
  if (asked.figures) draw(*asked.figures, programs, asked.over);
  print(asked.json ? report_json(programs, asked.over).dump() + "\n"
                   : measured_text + report_text(programs, asked.over));
}

}  // namespace imbrex::overlap
