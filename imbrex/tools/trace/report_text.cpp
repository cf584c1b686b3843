// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/report_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <imbrex/base/printable.hpp>
#include <imbrex/tools/trace/block_text.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/summary.hpp>
#include <imbrex/tools/trace/table.hpp>

namespace imbrex::tools {
namespace {

constexpr std::size_t most_rows = 32;
constexpr std::size_t heaviest_shown = 16;

std::string time_text(std::uint64_t time) { return readable_time(static_cast<double>(time)); }
std::string part_text(std::uint64_t of, std::uint64_t all) {
  return all == 0 ? "-" : readable_part(static_cast<double>(of) / static_cast<double>(all));
}

/// Calls `row` for up to `most_rows` items, and returns a note on the number of others.
template <class Rows, class Row>
std::string some_rows(const Rows& rows, const char* what, Row row) {
  for (std::size_t k = 0; k < std::min(rows.size(), most_rows); ++k) row(rows[k]);
  return rows.size() <= most_rows
             ? ""
             : fmt::format("  and {} more {}: --json has them all\n", rows.size() - most_rows, what);
}

std::string head_text(const run_report& run) {
  std::string text = fmt::format(
      "{}: {} records, {} {} of {} {}, {} of {}{}\n", printable(run.file), readable_count(run.records),
      readable_count(run.all_pes), run.all_pes == 1 ? "PE" : "PEs", readable_count(run.processes),
      run.processes == 1 ? "process" : "processes", time_text(run.length),
      run.simulated_time ? "a model's time" : "time",
      run.phase.empty()
          ? ""
          : " in the phase " + printable(run.phase) + "; the rest of the report is restricted to it");
  for (const std::string& warning : run.warnings) text += "  warning: " + printable(warning) + "\n";
  return text;
}

std::string dropped_text(std::uint64_t records) {
  return records == 0 ? "" : fmt::format(", {} records dropped", readable_count(records));
}

std::string utilisation_text(const run_report& run) {
  table out({"program", "runtime", "idle", "parked", "unrecorded", "items", "PE"});
  const auto row = [&](const pe_report& pe, std::uint64_t time, std::string name) {
    name += dropped_text(pe.dropped);
    out.row({part_text(pe.program, time), part_text(pe.runtime, time), part_text(pe.idle_awake, time),
             part_text(pe.parked, time), part_text(pe.unrecorded, time), readable_count(pe.items), name});
  };
  const auto more =
      some_rows(run.pes, "PEs", [&](const pe_report& pe) { row(pe, run.length, std::to_string(pe.pe)); });
  row(sum_of_pes(run), run.length * run.pes.size(), "all");
  return "\nUtilisation of the PEs, as parts of the run; idle: awake without work\n" + out.text() + more;
}

std::string entries_text(const run_report& run) {
  auto entries = run.entries;
  std::sort(entries.begin(), entries.end(), [](const entry_report& l, const entry_report& r) {
    return std::pair(r.time, l.name) < std::pair(l.time, r.name);
  });
  table out({"time", "of all", "calls", "mean", "longest", "resumed", "grain", "elements", "entry"});
  const auto all = run.length * run.pes.size();
  const auto more = some_rows(entries, "entries", [&](const entry_report& e) {
    out.row({time_text(e.time), part_text(e.time, all), readable_count(e.calls),
             e.calls == 0 ? "-" : time_text(e.time / e.calls), time_text(e.longest),
             readable_count(e.resumes), readable_time(e.grain()),
             readable_count(e.elements) + (e.more_elements ? "+" : ""),
             printable(e.name) + (e.program ? "" : "  (runtime)")});
  });
  return "\nTime by entry, without nested entries; longest: from a begin to its end;\n"
         "grain: mean time between two awaits\n" +
         out.text() + more;
}

/// A note on cut intervals of an overlap or of idle time.
std::string cut_note(const auto& of) {
  return of.cut == 0 ? ""
                     : fmt::format(" ({} intervals cut by {} in all)", readable_count(of.cut),
                                   time_text(of.cut_time));
}

std::string idle_text(const run_report& run) {
  table out(
      {"idle", "communication", "waking", "device", "timer", "other", "before first", "after last", "PE"});
  const auto row = [&](const pe_report& pe, const std::string& name) {
    const idle_report& of = pe.idle;
    const auto all = of.all();
    out.row({time_text(all), part_text(of.communication, all), part_text(of.waking, all),
             part_text(of.device, all), part_text(of.timer, all), part_text(of.other, all),
             part_text(of.before_first, all), part_text(of.after_last, all), name + cut_note(of)});
  };
  const auto more = some_rows(run.pes, "PEs", [&](const pe_report& pe) { row(pe, std::to_string(pe.pe)); });
  row(sum_of_pes(run), "all");
  return "\nReasons for idle time, as parts of the PE's idle time; communication: a message to the PE was\n"
         "in flight; waking: a message was ready, but not begun; other: no message was in flight\n"
         "(dependencies or imbalance); time before the first item and after the last counts separately\n" +
         out.text() + more;
}

std::string overlap_text(const run_report& run) {
  table out({"communication", "covered", "exposed", "overlap", "computation", "of"});
  const auto row = [&](const overlap_report& of, const std::string& name) {
    out.row({time_text(of.communication), time_text(of.covered), time_text(of.exposed()),
             part_text(of.covered, of.communication), time_text(of.computation), name + cut_note(of)});
  };
  auto more =
      some_rows(run.pes, "PEs", [&](const pe_report& pe) { row(pe.overlap, fmt::format("PE {}", pe.pe)); });
  row(sum_of_pes(run).overlap, "all PEs");
  if (run.by_process.size() > 1)
    more += some_rows(run.by_process, "processes", [&](const process_report& process) {
      row(process.overlap, fmt::format("process {}", process.process));
    });
  more += some_rows(run.devices, "devices", [&](const device_report& device) {
    row(device.overlap, fmt::format("device {} of process {}, {} operations{}", device.device, device.process,
                                    readable_count(device.operations), dropped_text(device.dropped)));
  });
  return "\nOverlap: part of the communication time that computation covers. PE: messages from other PEs,\n"
         "from sent to ready; process: messages from other processes, against computation of any of its\n"
         "PEs; device: copies against kernels. Overlapping intervals count once\n" +
         out.text() + more;
}

std::string blocks_text(const run_report& run) {
  if (run.blocks.empty()) return "";
  table out({"busy", "of the run", "entries", "mean", "longest", "block"});
  const auto more = some_rows(run.blocks, "blocks", [&](const block_report& block) {
    out.row({time_text(block.busy), part_text(block.busy, run.length), readable_count(block.entries),
             block.entries == 0 ? "-" : time_text(block.busy / block.entries), time_text(block.longest),
             fmt::format("{} of process {}{}", block_text(block.place), block.process,
                         dropped_text(block.dropped))});
  });
  return "\nBlocks of kernels that schedule by themselves: chares inside a GPU\n" + out.text() + more;
}

std::string messages_text(const message_report& of) {
  std::string text = fmt::format("\nMessages: {} sent with {}, {} begun\n", readable_count(of.sent),
                                 readable_bytes(static_cast<double>(of.bytes)), readable_count(of.begun));
  text += fmt::format(
      "  between PEs {} with {}, between processes {} with {}\n", readable_count(of.between_pes),
      readable_bytes(static_cast<double>(of.between_pes_bytes)), readable_count(of.between_processes),
      readable_bytes(static_cast<double>(of.between_processes_bytes)));
  if (of.unknown > 0)
    text += fmt::format("  {} begun without a record of their sending\n", readable_count(of.unknown));
  if (of.forgotten > 0)
    text += fmt::format("  {} not tracked, since too many were in flight\n", readable_count(of.forgotten));
  if (of.arrived_before_sent > 0)
    text += fmt::format("  {} arrived before they were sent, by the clocks: counted with a latency of 0\n",
                        readable_count(of.arrived_before_sent));
  table latencies({"messages", "median", "90 %", "99 %", "longest", "mean", "latency"});
  for (const auto& [name, counts] : {std::pair("sent to ready, arrived messages only", &of.network),
                                     std::pair("ready to begun", &of.queue)})
    latencies.row({readable_count(counts->count()), time_text(counts->percentile(0.5)),
                   time_text(counts->percentile(0.9)), time_text(counts->percentile(0.99)),
                   time_text(counts->most()), readable_time(counts->mean()), name});
  table sizes({"messages", "of all", "size"});
  for (std::size_t k = 0; k < of.sizes.size(); ++k)
    if (of.sizes[k] > 0)
      sizes.row({readable_count(of.sizes[k]), part_text(of.sizes[k], of.sent),
                 k == 0 ? "empty" : fmt::format("below {} B", k == 64 ? "2^64" : std::to_string(1ULL << k))});
  return text + latencies.text() + (of.sent > 0 ? sizes.text() : "");
}

std::vector<std::pair<std::string, std::uint64_t>> path_parts(const run_report& run) {
  std::vector<std::pair<std::string, std::uint64_t>> parts;
  static constexpr std::array<const char*, chain_first_entry> names{
      "messages in flight",        "the runtime",        "idle, waiting for a device",
      "idle, waiting for a timer", "idle or in a queue", "not recorded"};
  for (std::size_t k = 0; k < names.size(); ++k) parts.emplace_back(names[k], run.path.parts[k]);
  for (const entry_report& e : run.entries)
    if (e.chain_part != 0 && e.chain_part + 1 < chain_parts)
      parts.emplace_back(printable(e.name), run.path.parts[e.chain_part]);
  parts.emplace_back("other entries", run.path.parts[chain_parts - 1]);
  std::erase_if(parts, [](const auto& part) { return part.second == 0; });
  std::sort(parts.begin(), parts.end(), [](const auto& l, const auto& r) {
    return std::pair(r.second, l.first) < std::pair(l.second, r.first);
  });
  return parts;
}

std::string path_text(const run_report& run) {
  table out({"time", "of it", "part"});
  for (const auto& [name, time] : path_parts(run))
    out.row({time_text(time), part_text(time, run.path.length), name});
  std::string text = fmt::format(
      "\nCritical path: {}, to the end of the last item, on PE {}; {} times a PE waited for the message of\n"
      "its next item, and the path continues on the sender\n",
      time_text(run.path.length), run.path.pe, readable_count(run.path.takeovers));
  if (run.path.lost > 0)
    text += fmt::format("  {} more times the sender is unknown\n", readable_count(run.path.lost));
  return text + out.text();
}

std::string bound_text(const run_report& run) {
  const bound_report& of = run.bound;
  table out({"time", "the run is", "bound"});
  const auto row = [&](std::uint64_t bound, const char* name) {
    out.row({time_text(bound),
             bound == 0
                 ? "-"
                 : fmt::format("{:.3f} times", static_cast<double>(run.length) / static_cast<double>(bound)),
             name});
  };
  row(of.busiest, "computation of the busiest PE");
  row(of.mean, "all computation, divided evenly among the PEs");
  if (!run.devices.empty()) row(of.device, "kernels or copies of the busiest device");
  row(of.overlapped, "full overlap: the longer of a PE's computation and communication, and one latency");
  return "\nIdeal bounds: least times of a run with this work, and with full overlap\n" + out.text();
}

/// "step of block::run".
std::string name_of(const phase_report& phases) {
  return printable(phases.name) + (phases.entry.empty() ? "" : " of " + printable(phases.entry));
}

std::string steps_text(const phase_report& phases) {
  if (phases.steps.size() < 2) return "";
  table out({"from", "to", "phases", "mean", "longest", "program", "number"});
  const auto more = some_rows(phases.steps, "steps", [&](const step_report& step) {
    out.row(
        {time_text(step.time.begin), time_text(step.time.end), readable_count(step.all.count),
         time_text(step.all.total / step.all.count), time_text(step.all.longest),
         part_text(step.all.program, step.all.total),
         std::to_string(step.number) +
             (step.all.owner.empty() || step.all.count == 1 ? "" : "; the longest is of " + step.all.owner)});
  });
  return "\nBy step: " + name_of(phases) + ", from the first begin with a number to the last end\n" +
         out.text() + more + (phases.more_steps ? "  further steps were not kept\n" : "");
}

std::string phases_text(const run_report& run) {
  if (run.phases.empty()) return "";
  table out({"number", "total", "median", "longest", "program", "phase"});
  const auto more = some_rows(run.phases, "phases", [&](const phase_report& phases) {
    out.row({readable_count(phases.all.count), time_text(phases.all.total),
             time_text(phases.lengths.percentile(0.5)), time_text(phases.all.longest),
             part_text(phases.all.program, phases.all.total),
             name_of(phases) + (phases.all.owner.empty() ? "" : "; the longest is of " + phases.all.owner)});
  });
  std::string text =
      "\nPhases of all PEs, from begin to end; overlapping phases count each. Program: part of that time\n"
      "in which their PEs ran the program\n" +
      out.text() + more;
  for (const phase_report& phases : run.phases) text += steps_text(phases);
  return text;
}

std::string chares_text(const run_report& run) {
  if (run.chares.empty()) return "";
  const auto all = run.length * run.pes.size();
  table classes({"time", "of all", "elements", "mean", "heaviest", "by mean", "calls", "sent", "chares"});
  const auto more_classes = some_rows(run.chares, "classes", [&](const chare_report& of) {
    const auto mean = static_cast<double>(of.sum.busy) / static_cast<double>(of.elements);
    classes.row({time_text(of.sum.busy), part_text(of.sum.busy, all), readable_count(of.elements),
                 readable_time(mean), time_text(of.heaviest.busy),
                 mean == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(of.heaviest.busy) / mean),
                 readable_count(of.sum.calls), readable_count(of.sum.sent),
                 of.name + "; the heaviest is " + of.heaviest.name});
  });
  table heaviest({"time", "of all", "calls", "sent", "with", "element"});
  const std::span elements(run.elements.data(), std::min(run.elements.size(), heaviest_shown));
  for (const element_report& one : elements)
    heaviest.row({time_text(one.busy), part_text(one.busy, all), readable_count(one.calls),
                  readable_count(one.sent), readable_bytes(static_cast<double>(one.sent_bytes)), one.name});
  return "\nChares by class: their time without nested entries; calls: the messages to them\n" +
         classes.text() + more_classes + "\nHeaviest elements\n" + heaviest.text() +
         (run.more_elements ? "  there were too many elements to distinguish: the others are omitted\n" : "");
}

}  // namespace

std::string report_text(const run_report& run) {
  return head_text(run) + utilisation_text(run) + entries_text(run) + chares_text(run) + phases_text(run) +
         idle_text(run) + overlap_text(run) + blocks_text(run) + messages_text(run.messages) +
         path_text(run) + bound_text(run);
}

std::string comparison_text(const run_report& one, const run_report& other) {
  const auto text = [](std::optional<double> ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "-"; };
  const auto ratio = [&](std::uint64_t l, std::uint64_t r) {
    return text(l == 0 ? std::nullopt : std::optional(static_cast<double>(r) / static_cast<double>(l)));
  };
  table figures({"first", "second", "second/first", "figure"});
  const auto left = summary(one);
  const auto right = summary(other);
  for (std::size_t k = 0; k < left.size(); ++k)
    figures.row({text_of(left[k]), text_of(right[k]), text(ratio_of(left[k], right[k])), left[k].name});
  std::map<std::string, std::pair<entry_report, entry_report>> by_name;
  for (const entry_report& e : one.entries) by_name[e.name].first = e;
  for (const entry_report& e : other.entries) by_name[e.name].second = e;
  std::vector<std::pair<std::string, std::pair<entry_report, entry_report>>> entries(by_name.begin(),
                                                                                     by_name.end());
  const auto both = [](const auto& entry) { return entry.second.first.time + entry.second.second.time; };
  std::sort(entries.begin(), entries.end(), [&](const auto& l, const auto& r) {
    return std::pair(both(r), l.first) < std::pair(both(l), r.first);
  });
  table times({"first", "second", "second/first", "calls, first", "calls, second", "entry"});
  const auto more = some_rows(entries, "entries", [&](const auto& entry) {
    const auto& [l, r] = entry.second;
    times.row({time_text(l.time), time_text(r.time), ratio(l.time, r.time), readable_count(l.calls),
               readable_count(r.calls), printable(entry.first)});
  });
  return "First:  " + head_text(one) + "Second: " + head_text(other) + "\n" + figures.text() +
         "\nTime by entry\n" + times.text() + more;
}

}  // namespace imbrex::tools
