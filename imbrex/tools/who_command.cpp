// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/who_command.hpp>

#include <functional>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/base/options/command.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/tools/command/print.hpp>
#include <imbrex/tools/report_client.hpp>
#include <imbrex/tools/report_metrics.hpp>
#include <nlohmann/json.hpp>

namespace imbrex::tools {
namespace {

/// Asks all processes. Calls `take` with each answer, and `miss` for a process that has not answered, with
/// the reason. Returns the exit status.
int ask_all(const who_settings& settings, bool json, const std::function<void(const std::string&)>& take,
            const std::function<void(pid_t, const char*)>& miss = {}) {
  int status = 0;
  for (const pid_t one : processes_to_ask(settings.process)) {
    try {
      take(ask_for_report(one, json));
    } catch (const error& e) {
      status = 1;
      log(log_level::error, e.what());
      if (miss) miss(one, e.what());
    }
  }
  return status;
}

std::string dumped(const nlohmann::json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Adds the argument PID to a command, and reads its words.
std::variant<who_settings, std::string> parse(command& of, std::span<const std::string> words,
                                              who_settings& settings) {
  std::vector<std::string> processes;
  of.arguments(processes);
  if (auto help = of.read(words)) return *std::move(help);
  settings.process = process_in(processes);
  return settings;
}

}  // namespace

std::optional<pid_t> process_in(const std::vector<std::string>& words) {
  if (words.size() > 1) throw usage_error("give one process id, or none for all of your runs");
  if (words.empty()) return std::nullopt;
  const auto process = parse_number<pid_t>(words.front());
  if (!process || *process < 1) throw usage_error("\"" + words.front() + "\" is no process id, such as 4711");
  return process;
}

std::variant<who_settings, std::string> parse_who(std::span<const std::string> words) {
  who_settings settings;
  command who(
      "imbrex who", "[--json] [PID]",
      "Asks running programs what they do: which entry each PE runs, what is queued, and which entries "
      "wait for what. PID is a process of a run, or `imbrex run` itself, for all of its processes on "
      "this host. Without PID it asks all of your runs on this host.");
  who.flag("--json", settings.json, "print one JSON object");
  return parse(who, words, settings);
}

std::variant<who_settings, std::string> parse_metrics(std::span<const std::string> words) {
  who_settings settings;
  command metrics(
      "imbrex metrics", "[PID]",
      "Asks running programs for figures, and prints them in the text format of Prometheus. PID is "
      "as for `imbrex who`.");
  return parse(metrics, words, settings);
}

int print_who(const who_settings& settings) {
  if (!settings.json) return ask_all(settings, false, [](const std::string& answer) { print(answer); });
  nlohmann::json document{{"processes", nlohmann::json::array()}, {"silent", nlohmann::json::array()}};
  const int status = ask_all(
      settings, true,
      [&](const std::string& answer) { document["processes"].push_back(nlohmann::json::parse(answer)); },
      [&](pid_t process, const char* why) {
        document["silent"].push_back({{"pid", process}, {"why", why}});
      });
  print(dumped(document));
  return status;
}

int print_metrics(const who_settings& settings) {
  report_metrics metrics;
  const int status = ask_all(settings, true, [&](const std::string& answer) { metrics.add(answer); });
  print(metrics.text());
  return status;
}

}  // namespace imbrex::tools
