// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/report_json.hpp>

#include <optional>

#include <nlohmann/json.hpp>

#include <imbrex/tools/trace/block_text.hpp>
#include <imbrex/tools/trace/summary.hpp>

namespace imbrex::tools {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(std::optional<double> number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json json(const overlap_report& of) {
  return {{"communication", of.communication},
          {"computation", of.computation},
          {"covered", of.covered},
          {"exposed", of.exposed()},
          {"fraction", of.fraction()},
          {"cut", of.cut},
          {"cut_time", of.cut_time}};
}

ordered_json json(const pe_report& pe) {
  const idle_report& idle = pe.idle;
  return {{"pe", pe.pe},
          {"process", pe.process},
          {"items", pe.items},
          {"dropped", pe.dropped},
          {"program", pe.program},
          {"runtime", pe.runtime},
          {"idle_awake", pe.idle_awake},
          {"parked", pe.parked},
          {"unrecorded", pe.unrecorded},
          {"idle",
           {{"before_first", idle.before_first},
            {"after_last", idle.after_last},
            {"communication", idle.communication},
            {"waking", idle.waking},
            {"device", idle.device},
            {"timer", idle.timer},
            {"other", idle.other},
            {"cut", idle.cut},
            {"cut_time", idle.cut_time}}},
          {"overlap", json(pe.overlap)}};
}

ordered_json json(const log_histogram& of) {
  ordered_json classes = ordered_json::array();
  const auto counts = of.by_power_of_two();
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0) classes.push_back({{"below_power_of_two", k}, {"count", counts[k]}});
  return {{"count", of.count()},          {"mean", of.mean()},          {"p50", of.percentile(0.5)},
          {"p90", of.percentile(0.9)},    {"p99", of.percentile(0.99)}, {"max", of.most()},
          {"classes", std::move(classes)}};
}

ordered_json json(const message_report& of) {
  ordered_json sizes = ordered_json::array();
  for (std::size_t k = 0; k < of.sizes.size(); ++k)
    if (of.sizes[k] > 0) sizes.push_back({{"below_power_of_two", k}, {"messages", of.sizes[k]}});
  return {{"sent", of.sent},
          {"bytes", of.bytes},
          {"begun", of.begun},
          {"between_pes", of.between_pes},
          {"between_pes_bytes", of.between_pes_bytes},
          {"between_processes", of.between_processes},
          {"between_processes_bytes", of.between_processes_bytes},
          {"unknown", of.unknown},
          {"forgotten", of.forgotten},
          {"arrived_before_sent", of.arrived_before_sent},
          {"sizes", std::move(sizes)},
          {"sent_to_ready", json(of.network)},
          {"ready_to_begun", json(of.queue)}};
}

ordered_json path_json(const run_report& run) {
  const auto& parts = run.path.parts;
  ordered_json entries = ordered_json::array();
  for (const entry_report& e : run.entries)
    if (e.chain_part != 0 && e.chain_part + 1 < chain_parts && parts[e.chain_part] > 0)
      entries.push_back({{"name", e.name}, {"time", parts[e.chain_part]}});
  return {{"length", run.path.length},
          {"pe", run.path.pe},
          {"network", parts[chain_network]},
          {"runtime", parts[chain_runtime]},
          {"wait_device", parts[chain_wait_device]},
          {"wait_timer", parts[chain_wait_timer]},
          {"wait_other", parts[chain_wait_other]},
          {"unrecorded", parts[chain_unrecorded]},
          {"entries", std::move(entries)},
          {"other_entries", parts[chain_parts - 1]},
          {"takeovers", run.path.takeovers},
          {"lost", run.path.lost}};
}

ordered_json json(const element_report& one) {
  return {{"name", one.name},
          {"busy", one.busy},
          {"calls", one.calls},
          {"sent", one.sent},
          {"sent_bytes", one.sent_bytes}};
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json json(const phase_report& phases) {
  ordered_json document{{"name", phases.name},
                        {"entry", text_or_null(phases.entry)},
                        {"count", phases.all.count},
                        {"total", phases.all.total},
                        {"program", phases.all.program},
                        {"p50", phases.lengths.percentile(0.5)},
                        {"max", phases.all.longest},
                        {"longest_of", text_or_null(phases.all.owner)},
                        {"steps", ordered_json::array()},
                        {"more_steps", phases.more_steps}};
  for (const step_report& step : phases.steps)
    document["steps"].push_back({{"number", step.number},
                                 {"begin", step.time.begin},
                                 {"end", step.time.end},
                                 {"count", step.all.count},
                                 {"total", step.all.total},
                                 {"program", step.all.program},
                                 {"max", step.all.longest},
                                 {"longest_of", text_or_null(step.all.owner)}});
  return document;
}

ordered_json json(const run_report& run) {
  ordered_json document{{"file", run.file},        {"phase", text_or_null(run.phase)},
                        {"records", run.records},  {"dropped", run.dropped},
                        {"length", run.length},    {"processes", run.processes},
                        {"all_pes", run.all_pes},  {"simulated_time", run.simulated_time},
                        {"warnings", run.warnings}};
  for (const char* const list :
       {"entries", "pes", "overlap_of_processes", "devices", "blocks", "phases", "chares", "elements"})
    document[list] = ordered_json::array();
  for (const entry_report& e : run.entries)
    document["entries"].push_back({{"name", e.name},
                                   {"program", e.program},
                                   {"calls", e.calls},
                                   {"resumes", e.resumes},
                                   {"time", e.time},
                                   {"longest", e.longest},
                                   {"grain", e.grain()},
                                   {"elements", e.elements},
                                   {"more_elements", e.more_elements}});
  for (const pe_report& pe : run.pes) document["pes"].push_back(json(pe));
  for (const process_report& process : run.by_process)
    document["overlap_of_processes"].push_back(
        {{"process", process.process}, {"overlap", json(process.overlap)}});
  for (const device_report& device : run.devices)
    document["devices"].push_back({{"process", device.process},
                                   {"device", device.device},
                                   {"operations", device.operations},
                                   {"bytes", device.bytes},
                                   {"dropped", device.dropped},
                                   {"overlap", json(device.overlap)}});
  for (const block_report& block : run.blocks)
    document["blocks"].push_back({{"process", block.process},
                                  {"block", block_text(block.place)},
                                  {"entries", block.entries},
                                  {"busy", block.busy},
                                  {"longest", block.longest},
                                  {"dropped", block.dropped}});
  for (const phase_report& phases : run.phases) document["phases"].push_back(json(phases));
  for (const chare_report& of : run.chares)
    document["chares"].push_back({{"name", of.name},
                                  {"elements", of.elements},
                                  {"busy", of.sum.busy},
                                  {"calls", of.sum.calls},
                                  {"sent", of.sum.sent},
                                  {"sent_bytes", of.sum.sent_bytes},
                                  {"heaviest", json(of.heaviest)}});
  for (const element_report& one : run.elements) document["elements"].push_back(json(one));
  document["more_elements"] = run.more_elements;
  document["messages"] = json(run.messages);
  document["critical_path"] = path_json(run);
  document["bound"] = {{"busiest_pe", run.bound.busiest},    {"mean_of_pes", run.bound.mean},
                       {"overlapped", run.bound.overlapped}, {"latency", run.bound.latency},
                       {"device", run.bound.device},         {"least", run.bound.least()}};
  for (const figure& one : summary(run)) document["summary"][one.key] = number_or_null(one.value);
  return document;
}

}  // namespace

std::string report_json(std::span<const run_report> runs) {
  ordered_json document{{"runs", ordered_json::array()}};
  for (const run_report& run : runs) document["runs"].push_back(json(run));
  if (runs.size() == 2) {
    const auto left = summary(runs[0]);
    const auto right = summary(runs[1]);
    for (std::size_t k = 0; k < left.size(); ++k)
      document["compared"][left[k].key] = {{"first", number_or_null(left[k].value)},
                                           {"second", number_or_null(right[k].value)},
                                           {"ratio", number_or_null(ratio_of(left[k], right[k]))}};
  }
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace imbrex::tools
