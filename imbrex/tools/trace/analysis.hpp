// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/tools/trace/report.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

class phase_time;
class run_observer;

/// The number of state changes kept for PEs, processes and devices together, as messages that began earlier
/// may still arrive. With many of these, eight times as many are kept.
inline constexpr std::size_t history_kept = 1U << 18U;

/// Reads a trace to its end, once, and reports on the run. Memory: per track, per message in flight, per
/// entry, and for the history. `observer`: receives the results while they are found.
run_report analyse(trace::reader& in, run_observer* observer = nullptr, std::size_t history = history_kept);
/// Analyses one phase only: times are clipped to it, and counts are of events inside it. Data-quality
/// counters (`unknown`, `forgotten`, `arrived_before_sent`) and dropped records stay those of the whole run.
run_report analyse(trace::reader& in, const phase_time& phase, std::size_t history = history_kept);

}  // namespace imbrex::tools
