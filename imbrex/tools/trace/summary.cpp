// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/summary.hpp>

#include <imbrex/tools/trace/readable.hpp>

namespace imbrex::tools {

namespace {

double ratio(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all);
}

}  // namespace

pe_report sum_of_pes(const run_report& run) {
  pe_report all;
  for (const pe_report& pe : run.pes) {
    all.items += pe.items;
    all.dropped += pe.dropped;
    all.program += pe.program;
    all.runtime += pe.runtime;
    all.idle_awake += pe.idle_awake;
    all.parked += pe.parked;
    all.unrecorded += pe.unrecorded;
    all.overlap.communication += pe.overlap.communication;
    all.overlap.computation += pe.overlap.computation;
    all.overlap.covered += pe.overlap.covered;
    all.overlap.cut += pe.overlap.cut;
    all.overlap.cut_time += pe.overlap.cut_time;
    all.idle.before_first += pe.idle.before_first;
    all.idle.after_last += pe.idle.after_last;
    all.idle.communication += pe.idle.communication;
    all.idle.waking += pe.idle.waking;
    all.idle.device += pe.idle.device;
    all.idle.timer += pe.idle.timer;
    all.idle.other += pe.idle.other;
    all.idle.cut += pe.idle.cut;
    all.idle.cut_time += pe.idle.cut_time;
  }
  return all;
}

std::vector<figure> summary(const run_report& run) {
  const pe_report all = sum_of_pes(run);
  const std::uint64_t time = run.length * run.pes.size();
  std::uint64_t pieces = 0;  // pieces of the program between awaits
  for (const entry_report& e : run.entries)
    if (e.program) pieces += e.calls + e.resumes;
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  return {
      {"length", "length of the run", quantity_kind::time, number(run.length)},
      {"pes", "PEs", quantity_kind::count, number(run.all_pes)},
      {"program", "computation, all PEs", quantity_kind::time, number(all.program)},
      {"utilisation", "PE time: program", quantity_kind::part, ratio(all.program, time)},
      {"runtime_part", "PE time: runtime", quantity_kind::part, ratio(all.runtime, time)},
      {"idle_part", "PE time: idle or parked", quantity_kind::part, ratio(all.idle.all(), time)},
      {"idle_communication", "idle: message in flight", quantity_kind::time, number(all.idle.communication)},
      {"idle_waking", "idle: message ready, not begun", quantity_kind::time, number(all.idle.waking)},
      {"idle_device", "idle: device", quantity_kind::time, number(all.idle.device)},
      {"idle_timer", "idle: timer", quantity_kind::time, number(all.idle.timer)},
      {"idle_other", "idle: dependency, imbalance", quantity_kind::time, number(all.idle.other)},
      {"communication", "communication, all PEs", quantity_kind::time, number(all.overlap.communication)},
      {"exposed", "exposed communication", quantity_kind::time, number(all.overlap.exposed())},
      {"overlap", "communication covered", quantity_kind::part,
       all.overlap.communication == 0 ? std::nullopt : std::optional(all.overlap.fraction())},
      {"grain", "mean time between awaits", quantity_kind::time, ratio(all.program, pieces)},
      {"items", "items", quantity_kind::count, number(all.items)},
      {"messages", "messages sent", quantity_kind::count, number(run.messages.sent)},
      {"message_bytes", "bytes sent", quantity_kind::bytes, number(run.messages.bytes)},
      {"network_p50", "sent to ready, median", quantity_kind::time,
       number(run.messages.network.percentile(0.5))},
      {"queue_p50", "ready to begun, median", quantity_kind::time,
       number(run.messages.queue.percentile(0.5))},
      {"path", "critical path", quantity_kind::time, number(run.path.length)},
      {"path_network", "critical path: network", quantity_kind::time, number(run.path.parts[chain_network])},
      {"bound", "least time by the bounds", quantity_kind::time, number(run.bound.least())},
      {"above_bound", "length by least time", quantity_kind::count, ratio(run.length, run.bound.least())},
  };
}

std::string text_of(const figure& one) {
  if (!one.value) return "-";
  const double value = *one.value;
  switch (one.kind) {
    case quantity_kind::time: return readable_time(value);
    case quantity_kind::bytes: return readable_bytes(value);
    case quantity_kind::part: return readable_part(value);
    default: break;
  }
  if (value == static_cast<double>(static_cast<std::uint64_t>(value)))
    return readable_count(static_cast<std::uint64_t>(value));
  std::string text = std::to_string(value);
  text.resize(text.size() - 3);
  return text;
}

std::optional<double> ratio_of(const figure& first, const figure& second) {
  if (!first.value || !second.value || *first.value == 0) return std::nullopt;
  return *second.value / *first.value;
}

}  // namespace imbrex::tools
