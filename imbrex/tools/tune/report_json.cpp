// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <imbrex/tools/tune/report.hpp>

namespace imbrex::tune {
namespace {

using nlohmann::ordered_json;

ordered_json json(const evidence& of) {
  return {{"program", of.program},
          {"runtime", of.runtime},
          {"idle_message", of.idle_message},
          {"idle_device", of.idle_device},
          {"idle_other", of.idle_other},
          {"exposed", of.exposed},
          {"covered", of.covered},
          {"device", of.device ? ordered_json(*of.device) : ordered_json(nullptr)}};
}

ordered_json json(const std::vector<observation>& runs) {
  ordered_json all = ordered_json::array();
  for (const observation& one : runs) {
    if (!one.failure.empty())
      all.push_back({{"failure", one.failure}});
    else
      all.push_back(
          {{"time", one.time.count()}, {"evidence", one.seen ? json(*one.seen) : ordered_json(nullptr)}});
  }
  return all;
}

ordered_json json(const space& where, const configuration& at) {
  return {{"name", where.name(at)}, {"processes", where.processes_of(at)}, {"options", where.words(at)}};
}

ordered_json json(const space& where, const comparison& of) {
  static constexpr const char* outcomes[] = {"better", "not better", "failed", "undecided"};
  return {{"candidate", json(where, of.candidate)},
          {"against", json(where, of.against)},
          {"ratios", of.ratios},
          {"ratio", of.ratios.empty() ? ordered_json(nullptr) : ordered_json(of.ratio())},
          {"outcome", outcomes[static_cast<std::size_t>(of.result)]},
          {"failure", of.failure.empty() ? ordered_json(nullptr) : ordered_json(failure_text(where, of))},
          {"of_candidate", json(of.of_candidate)},
          {"of_against", json(of.of_against)}};
}

}  // namespace

std::string report_json(const report& of) {
  const search_result& found = of.found;
  ordered_json document{
      {"program", of.request.program},
      {"arguments", of.request.program_arguments},
      {"host", of.host},
      {"date", of.date},
      {"measured", measured_text(of)},
      {"exact", found.exact},
      {"spent", found.spent.count()},
      {"interrupted", found.interrupted ? ordered_json(*found.interrupted) : ordered_json(nullptr)},
      {"given_up", found.abort_reason.empty() ? ordered_json(nullptr) : ordered_json(found.abort_reason)},
      {"default", json(of.where, of.where.by_default())},
      {"first_runs", json(found.first_runs)},
      {"tried", ordered_json::array()},
      {"untried", ordered_json::array()},
      {"pruned", of.where.pruned}};
  for (const comparison& one : found.tried) document["tried"].push_back(json(of.where, one));
  for (const configuration& one : found.untried) document["untried"].push_back(json(of.where, one));
  document["confirmation"] = found.confirmation ? json(of.where, *found.confirmation) : ordered_json(nullptr);
  document["chosen"] = json(of.where, found.chosen);
  document["findings"] = findings_text(of);
  document["file"] = of.written ? ordered_json(of.request.output) : ordered_json(nullptr);
  document["command"] = chosen_command(of);
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace imbrex::tune
