// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/report_metrics.hpp>

#include <cstddef>
#include <cstdint>

#include <imbrex/base/error.hpp>
#include <imbrex/tools/report_client.hpp>
#include <nlohmann/json.hpp>

namespace imbrex::tools {

namespace {

std::uint64_t figure_in(const nlohmann::json& of, const char* name) {
  return of.value(name, std::uint64_t{0});
}

std::size_t size_of(const nlohmann::json& of, const char* name) {
  const auto list = of.find(name);
  return list == of.end() ? 0 : list->size();
}

}  // namespace

report_metrics::report_metrics()
    : figures_{{"imbrex_pe_answers", "1 if the PE has answered within a second, 0 if its entry takes longer"},
               {"imbrex_pe_sleeps", "1 if the PE had nothing to do"},
               {"imbrex_pe_queued_items", "items in the queue of the PE"},
               {"imbrex_pe_chares", "chares on the PE"},
               {"imbrex_pe_waits", "waits of entries on the PE"},
               {"imbrex_pe_device_operations", "operations of the device that the PE waits for"}} {}

void report_metrics::add(const std::string& report) {
  try {
    const auto process = nlohmann::json::parse(report);
    for (const auto& pe : process.at("pes")) {
      const std::string labels = "{pid=\"" + std::to_string(figure_in(process, "pid")) + "\",process=\"" +
                                 std::to_string(figure_in(process, "process")) + "\",pe=\"" +
                                 std::to_string(figure_in(pe, "pe")) + "\"} ";
      const bool answers = pe.at("answers").get<bool>();
      const std::uint64_t values[] = {answers,
                                      pe.at("sleeps").get<bool>(),
                                      figure_in(pe, "queued"),
                                      figure_in(pe, "chares"),
                                      size_of(pe, "waits") + figure_in(pe, "more_waits"),
                                      figure_in(pe, "device_operations")};
      // A PE that does not answer has no figures besides.
      for (std::size_t i = 0; i < (answers ? figures_.size() : 1); ++i)
        figures_[i].lines += figures_[i].name + labels + std::to_string(values[i]) + "\n";
    }
  } catch (const nlohmann::json::exception& e) {
    throw error(std::string("a report of a process is no JSON that this imbrex knows: ") + e.what());
  }
}

std::string report_metrics::text() const {
  std::string all;
  for (const figure& one : figures_)
    all +=
        std::string("# HELP ") + one.name + " " + one.help + "\n# TYPE " + one.name + " gauge\n" + one.lines;
  return all;
}

std::string figures_of_processes(pid_t process) {
  report_metrics figures;
  std::string silent;
  for (const pid_t one : processes_to_ask(process)) {
    try {
      figures.add(ask_for_report(one, true));
    } catch (const error& e) {
      silent += std::string("# ") + e.what() + "\n";
    }
  }
  return figures.text() + silent;
}

}  // namespace imbrex::tools
