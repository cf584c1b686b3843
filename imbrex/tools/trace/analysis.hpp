// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/tools/trace/report.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

class phase_time;
class run_observer;

/// How many changes of state of PEs, processes and devices together are kept, while messages that began
/// before them may still come. If there are many of them, eight times as many.
inline constexpr std::size_t history_kept = 1U << 18U;

/// Reads a trace to its end, once, and tells what it says of the run. Memory: for each track, each message on
/// its way, each entry, and for the history. `observer` is told all the time what it finds.
run_report analyse(trace::reader& in, run_observer* observer = nullptr, std::size_t history = history_kept);
/// The same of what happens in a phase: time is how much of it passes, and what is counted lies in it. What
/// a message lacks (`unknown`, `forgotten`, `arrived_before_sent`) and what was dropped is told of the
/// whole run.
run_report analyse(trace::reader& in, const phase_time& phase, std::size_t history = history_kept);

}  // namespace imbrex::tools
