// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reports of a run: what a front end adds to a trace, and who waits.

#include <cstdint>
#include <functional>
#include <string_view>

#include <imbrex/core/collective/waits.hpp>
#include <imbrex/core/record/block_recording.hpp>
#include <imbrex/core/record/report_source.hpp>

namespace imbrex::extension {

// Turns of objects in a front end's own tables, which traces show as chares. `collection`: a number that no
// array has. Only on a PE's thread, within one item.

/// Begins a turn. Returns false, and records nothing, unless this PE is recording. If true, call `end_turn`
/// later in this item.
bool begin_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element);
void end_turn();  ///< Ends the turn that began last in the trace of this PE.
/// Records that a coroutine of the object resumes. If true, call `suspend_turn` instead of `end_turn` later
/// in this item.
bool resume_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element);
/// Records that the coroutine waits, or has ended. The turn that `begin_turn` began continues until its
/// `end_turn`.
void suspend_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element, bool has_ended);
/// Sets the names in reports: "Worker", "Worker(3)".
void name_turns(std::uint32_t collection, std::string_view class_name, std::uint64_t element,
                std::string_view element_name);

/// The waiting entries of a run as lines of text: `thrown` are exceptions that wait for other replies.
using known_waits = detail::known_waits;
/// `ask_who_waits(tell)`: asks all PEs, and calls `tell(known_waits&&)` on this PE when all have answered.
using detail::ask_who_waits;

/// Adds lines to the reports of SIGQUIT and `imbrex who`.
using report_source = detail::report_source;

/// A finished entry in a block of a kernel that schedules by itself.
using finished_entry = detail::finished_entry;
/// Writes the activity of one kernel's blocks into a trace. One thread at a time; it may outlive the trace.
using block_recorder = detail::block_recorder;
/// `block_recording(device, blocks)`: a recorder for the blocks of a kernel on that device. Null if this
/// thread is no PE, if the run is not traced, and in simulated time.
using detail::block_recording;

}  // namespace imbrex::extension
