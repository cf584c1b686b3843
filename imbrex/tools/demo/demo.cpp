// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/demo/demo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/process/temporary_folder.hpp>
#include <imbrex/tools/process/trial.hpp>
#include <imbrex/tools/trace/command/trace_command.hpp>

namespace imbrex::tools {
namespace {

namespace files = std::filesystem;

using words = std::vector<std::string>;

constexpr auto longest_run = std::chrono::minutes(5);
constexpr std::size_t most_bytes_of_times = 1 << 20;
constexpr const char* program_name = "jacobi3d";

const words behind_a_link{"--pes",  "2",           "--net-latency", "200us", "--net-bandwidth", "125MB/s",
                          "--grid", "192,128,128", "--iters",       "100",   "--check"};
const words on_six_gpus{"--machine", "simulated", "--device-model", "v100",          "--no-data",
                        "--pes",     "6",         "--grid",         "1536,1536,1536"};

/// The runs of one program.
class demo_runs {
 public:
  explicit demo_runs(std::string program) : program_(std::move(program)) {}

  /// Runs the program with these options, and returns what it prints.
  std::string run(std::initializer_list<words> options) {
    words line{program_};
    for (const words& some : options) line.insert(line.end(), some.begin(), some.end());
    trial_result result = runner_.run(line, longest_run);
    if (result.timed_out)
      throw error(fmt::format("{} did not end within {} minutes; is this machine busy?", program_name,
                              longest_run.count()));
    if (result.status != 0)
      throw error(fmt::format("{} ended with status {}: {}", program_name, result.status,
                              printable(telling_line(result))));
    return std::move(result.output);
  }

 private:
  std::string program_;
  trial_runner runner_;
};

void show_gain(demo_runs& runs, const temporary_folder& scratch, const words& options) {
  const std::string times = scratch.file("times.json");
  const words record{"--json", times};
  print(
      "1. Jacobi3D on two PEs, whose messages take 200 us at 1 Gbit/s, with one chare for each PE: a PE "
      "waits "
      "for each face of its neighbour's block.\n");
  std::string changed;
  for (const std::string& word : options) changed += " " + printable(word);
  print(changed.empty() ? "\n" : "Your options change that:" + changed + "\n\n");
  print(runs.run({behind_a_link, {"--overlap", "none"}, record, options}));
  print(
      "\n2. The program with several chares for each PE (odf): while one waits for a face, its PE computes "
      "another.\n\n");
  print(runs.run({behind_a_link, {"--overlap", "auto", "--odf", "2,4,8"}, record, options}));
  print("\n" + gain_text(read_file(times, most_bytes_of_times)));
}

void show_gpus(demo_runs& runs) {
  int number = 3;
  for (const char* const completion : {"sync", "callback", "poll"}) {
    print(
        fmt::format("\n{}. Six V100 of one node in simulated time, where a PE learns by {} that its GPU is "
                    "done: the ratio "
                    "is what more chares for each GPU gain.\n\n",
                    number++, completion));
    print(runs.run({on_six_gpus, {"--odf", "1,2,4,8,16", "--completion", completion}}));
  }
}

void make_page(demo_runs& runs, const temporary_folder& scratch, const std::string& output) {
  report_settings page{.files = {}, .output = output};
  for (const char* const odf : {"1", "4"}) {
    page.files.push_back(scratch.file(std::string("odf") + odf + ".trace"));
    runs.run({on_six_gpus, {"--odf", odf, "--completion", "poll", "--trace", page.files.back()}});
  }
  print(
      "\n6. The page shows where the time of the last table goes, with 1 and with 4 chares for each "
      "GPU.\n\n");
  print_report(page);
}

}  // namespace

files::path demo_program(const files::path& folder, std::string_view installed) {
  for (const files::path& place : {folder, folder.parent_path() / installed}) {
    std::error_code problem;
    if (files::is_regular_file(place / program_name, problem)) return place / program_name;
  }
  throw error(fmt::format(
      "this installation has no program {0} for the demo, neither in {1} nor in {2}: Imbrex was built "
      "without "
      "it; configure it with -DIMBREX_BUILD_APPS=DEMO, build and install it, or run ./dev demo in its source",
      program_name, folder.string(), (folder.parent_path() / installed).string()));
}

std::string gain_text(const std::string& lines) {
  std::istringstream in(lines);
  std::vector<double> times;
  for (std::string line; std::getline(in, line);)
    times.push_back(nlohmann::json::parse(line).at("us_per_iter").get<double>());
  if (times.size() < 2) throw error("too few lines of times of Jacobi3D: " + printable(lines));
  const double gain = times.front() / *std::min_element(times.begin() + 1, times.end());
  if (gain < 1)
    return fmt::format(
        "Overlap makes an iteration {:.2f} times as fast here, so it gains nothing; are two processors "
        "free?\n",
        gain);
  return fmt::format("Overlap makes an iteration {:.2f} times as fast; nothing else has changed.\n", gain);
}

std::variant<demo_settings, std::string> parse_demo(std::span<const std::string> words) {
  demo_settings request;
  std::optional<std::string> output;
  auto help =
      command(
          "imbrex demo", "[--output FILE.html] [-- OPTIONS OF JACOBI3D]",
          "Shows what overlap gains: Jacobi3D behind a modelled link without and with overlap, checked; then "
          "on six GPUs of a model in simulated time; and a page of where its time goes. It needs neither a "
          "GPU nor a network, and takes a minute.")
          .option("--output", "FILE.html", output, "file of the page (default " + request.output + ")")
          .note("Options after -- go to Jacobi3D behind the link: imbrex demo -- --net-latency 1ms")
          .arguments(request.options)
          .read(words);
  if (help) return *std::move(help);
  if (output) request.output = *output;
  if (request.output.empty())
    throw usage_error("--output needs the name of a file, such as demo-report.html");
  return request;
}

int show_demo(const demo_settings& request) {
  demo_runs runs(demo_program(files::read_symlink("/proc/self/exe").parent_path(), IMBREX_PROGRAMS));
  const temporary_folder scratch;
  show_gain(runs, scratch, request.options);
  show_gpus(runs);
  make_page(runs, scratch, request.output);
  return 0;
}

}  // namespace imbrex::tools
