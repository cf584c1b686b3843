// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/predict/settings.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/max_pes.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/device/model.hpp>

namespace imbrex::predict {
namespace {

constexpr int most_odf = 4096;
constexpr int most_steps = 1'000'000;
constexpr double most_seconds = 1e6;
const std::vector<int> usual_odf{1, 2, 4, 8};

[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& why) {
  throw usage_error(std::string(option) + " " + printable(value) + ": " + why);
}

int whole_number(std::string_view option, const std::string& value, const std::string& text, int most) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 1 || *number > most)
    refuse(option, value, "write whole numbers from 1 to " + std::to_string(most));
  return *number;
}

std::vector<std::string> between_commas(std::string_view option, const std::string& text) {
  std::vector<std::string> all;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    all.emplace_back(rest.substr(0, comma));
    if (all.back().empty()) refuse(option, text, "a value between commas is empty");
    if (comma == rest.npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<int> numbers_of(std::string_view option, const std::string& text, int most) {
  std::vector<int> all;
  for (const std::string& one : between_commas(option, text))
    all.push_back(whole_number(option, text, one, most));
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) refuse(option, text, "a number is given twice");
  return all;
}

/// Words that begin with an option.
tune::arguments words_of(std::string_view option, const std::string& value, const std::string& text,
                         const std::string& example) {
  const auto words = command_words(text);
  if (!words) refuse(option, value, "a quote is not closed");
  if (words->empty() || !words->front().starts_with('-'))
    refuse(option, value, "write an option of the program, such as " + example);
  return *words;
}

void set_steps(settings& request, const std::string& text) {
  const auto words = words_of("--steps", text, text, "--steps '--iters 4'");
  if (words.size() != 2)
    refuse("--steps", text, "write one option and a number, such as --steps '--iters 4'");
  request.step_option = words[0];
  request.steps = whole_number("--steps", text, words[1], most_steps);
}

void add_arguments(settings& request, const std::string& text) {
  const std::size_t blank = text.find(' ');
  if (blank == text.npos)
    refuse("--at", text, "write --at 'NODES ARGUMENTS', such as --at '8 --grid 256,256,256'");
  const int nodes = whole_number("--at", text, text.substr(0, blank), detail::max_pes);
  request.at.push_back(
      {nodes, words_of("--at", text, text.substr(blank + 1), "--at '8 --grid 256,256,256'")});
}

void add_sweep(settings& request, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == text.npos || sign == 0)
    refuse("--sweep", text, "write --sweep TABLE.KEY=VALUE,..., such as --sweep link.card=12.5GB/s,25GB/s");
  request.sweeps.push_back({text.substr(0, sign), between_commas("--sweep", text.substr(sign + 1))});
}

nanoseconds seconds_of(const std::string& text) {
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 0.1 && *seconds <= most_seconds))
    refuse("--seconds", text, "the time must be seconds from 0.1 to 1e6, such as --seconds 600");
  return nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
}

/// Reads the machine file, and with it the PEs of a node.
void check_machine(settings& request) {
  if (request.machine.empty())
    throw usage_error("no machine: give --machine summit, the name of a model, or --machine FILE");
  const device_model model = find_device_model(request.machine);
  if (request.node_pes == 0) request.node_pes = model.node.devices;
  if (request.node_pes == 0)
    throw usage_error("--machine " + printable(request.machine) +
                      ": the model has no [node], so give the PEs of a node by --node-pes N");
  if (request.nodes.empty()) throw usage_error("no numbers of nodes: give --nodes 1,8,64");
  if (request.nodes.back() > detail::max_pes / request.node_pes)
    refuse("--nodes", std::to_string(request.nodes.back()),
           "with " + std::to_string(request.node_pes) + " PEs a node there are more than " +
               std::to_string(detail::max_pes) + " PEs");
  for (const sweep& one : request.sweeps)
    for (const std::string& value : one.values)
      static_cast<void>(find_device_model(request.machine + "," + one.number + "=" + value));
}

void check_arguments(const settings& request) {
  for (const arguments_at& one : request.at)
    if (std::ranges::find(request.nodes, one.nodes) == request.nodes.end())
      throw usage_error("--at " + std::to_string(one.nodes) + ": --nodes does not have this number");
  for (const std::string_view option : {"--machine", "--device-model", "--pes", "--trace", "--record-flow"})
    if (tune::has_option(request.program_arguments, option))
      throw usage_error("the program's arguments have " + std::string(option) +
                        ", which the prediction sets; leave it out");
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> words) {
  using text = const std::string&;
  settings request;
  request.odf = usual_odf;
  std::vector<std::string> program;
  bool has_no_what_if = false;
  const auto help =
      command(
          "imbrex predict", "--machine MODEL --nodes N,... [OPTIONS] [--] PROGRAM [ARGUMENTS...]",
          "Runs the program in simulated time on other numbers of nodes, and reports how its time scales, "
          "what bounds it, and which overdecomposition is best. See docs/predict.md.")
          .option(
              "--machine", "MODEL", [&](text value) { request.machine = value; },
              "model of the machine: summit, another name that --device-model takes, or a file")
          .option(
              "--nodes", "N,...",
              [&](text value) { request.nodes = numbers_of("--nodes", value, detail::max_pes); },
              "numbers of nodes")
          .option(
              "--node-pes", "N",
              [&](text value) {
                request.node_pes = whole_number("--node-pes", value, value, detail::max_pes);
              },
              "PEs of a node (default: the devices of a node in the model)")
          .option(
              "--odf", "N,...", [&](text value) { request.odf = numbers_of("--odf", value, most_odf); },
              "overdecomposition factors: values of the program's option --odf, or of {odf} in its arguments "
              "(default 1,2,4,8; none if it has neither)")
          .option(
              "--steps", "'OPTION N'", [&](text value) { set_steps(request, value); },
              "the program's option for its number of steps, such as '--iters 4': it is run with N and with "
              "2N steps, and the time of a step is their difference")
          .option(
              "--phase", "NAME", [&](text value) { request.phase = value; },
              "measure the phases of this name in the trace, as by trace::phase (default the whole run)")
          .option(
              "--at", "'NODES ARGUMENTS'", [&](text value) { add_arguments(request, value); },
              "arguments that replace the program's of the same names on that number of nodes, as for a "
              "problem that grows; may be repeated")
          .option(
              "--sweep", "TABLE.KEY=VALUE,...", [&](text value) { add_sweep(request, value); },
              "other values of a number of the model, such as link.card=12.5GB/s,25GB/s, or x2 for twice its "
              "value; may be repeated")
          .flag("--no-what-if", has_no_what_if, "do not ask what parts of a better machine would bring")
          .flag("--executed", request.executes_all,
                "run the program for each number, also where the recorded flow of a run gives it")
          .option(
              "--seconds", "S", [&](text value) { request.budget = seconds_of(value); },
              "time limit of all runs together (default 600)")
          .option(
              "--svg", "FILE", [&](text value) { request.picture = value; }, "draw the scaling into a file")
          .flag("--json", request.json, "print one object of JSON; times are in ns")
          .note(
              "In ARGUMENTS {nodes}, {pes}, {odf} and {objects} (PEs times ODF) stand for the numbers of a "
              "run: imbrex predict --machine summit --nodes 1,8 -- imbrex-mpiexec -n {objects} ./lulesh")
          .program(program)
          .read(words);
  if (help) return *help;
  request.asks_what_if = !has_no_what_if;
  if (program.empty() || program.front().empty())
    throw usage_error(
        "no program; write imbrex predict --machine MODEL --nodes N,... PROGRAM [ARGUMENTS...]");
  request.program = program.front();
  request.program_arguments.assign(program.begin() + 1, program.end());
  check_machine(request);
  check_arguments(request);
  return request;
}

}  // namespace imbrex::predict
