// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/calibrate/calibrate.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/tools/calibrate/measure_device.hpp>
#include <imbrex/tools/calibrate/measure_messages.hpp>
#include <imbrex/tools/command/print.hpp>

namespace imbrex::calibrate {
namespace {

constexpr int most_rounds = 1000;

int rounds_of(const std::string& text) {
  const auto number = parse_number<int>(text);
  if (!number || *number < 3 || *number > most_rounds)
    throw usage_error("--rounds " + printable(text) + ": the number must be a whole number from 3 to " +
                      std::to_string(most_rounds));
  return *number;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown host";
}

/// The runtime's settings; two PEs unless the words say otherwise.
options options_of(const std::vector<std::string>& words) {
  std::vector<std::string> copies{"imbrex calibrate"};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(copies.size());
  char** all = pointers.data();
  options settings = parse_options(count, all);
  if (count > 1)
    throw usage_error("unknown option " + printable(all[1]) + "; options of the runtime stand after --");
  if (settings.pes == 0) settings.pes = num_processes() > 1 ? 1 : 2;
  return settings;
}

std::string where_text(const options& settings) {
  std::string text = host_name();
  text += num_processes() > 1 ? fmt::format(", {} processes", num_processes())
                              : fmt::format(", {} PEs of a process", settings.pes);
  if (settings.machine == machine_kind::simulated) text += ", in simulated time of " + settings.device_model;
  return text;
}

task<> measure_all(const options& settings, int rounds, measurement& into) {
  if (num_pes() < 2) throw usage_error("one PE sends no messages: give --pes 2, or start two processes");
  into.where = where_text(settings);
  co_await measure_messages(rounds, into);
  if (num_processes() == 1 && settings.machine == machine_kind::threads) {
    into.numbers.erase("message.bandwidth");
    into.reasons["message.bandwidth"] = "PEs of one process do not copy messages; use imbrex run -n 2";
  }
  measure_host_copy(rounds, into);
  if (settings.device.empty()) {
    for (const char* const number : {"host.launch", "host.call", "host.query", "copy.to_device",
                                     "copy.from_device", "device.memory_bandwidth"})
      into.reasons[number] = "the run had no device; give -- --device cuda";
    co_return;
  }
  co_await measure_device(rounds, into);
}

}  // namespace

std::variant<settings, std::string> parse_command(std::span<const std::string> words) {
  using text = const std::string&;
  settings request;
  const auto help =
      command("imbrex calibrate", "[OPTIONS] [-- RUNTIME OPTIONS]",
              "Measures this machine, and prints a machine file for --device-model and imbrex predict. Under "
              "imbrex run -n 2 it measures messages between processes. See docs/predict.md.")
          .option(
              "--base", "MODEL", [&](text value) { request.base = value; },
              "model whose numbers stand for those that are not measured (default v100)")
          .option(
              "--name", "NAME", [&](text value) { request.name = value; },
              "name of the machine (default here)")
          .option(
              "--rounds", "N", [&](text value) { request.rounds = rounds_of(value); },
              "number of measurements of each number (default 11)")
          .arguments(request.runtime_options)
          .read(words);
  if (help) return *help;
  static_cast<void>(device_model_text(request.base));
  if (request.name.empty() || request.name.find_first_of("\"\\\n") != request.name.npos)
    throw usage_error("--name " + printable(request.name) + ": write a name without quotes");
  return request;
}

int calibrate(const settings& request) {
  const options of_run = options_of(request.runtime_options);
  measurement measured;
  const int status = run(of_run, [&] { return measure_all(of_run, request.rounds, measured); });
  if (status == 0 && process() == 0)
    tools::print(machine_text(device_model_text(request.base), request.base, measured, request.name));
  return status;
}

}  // namespace imbrex::calibrate
