// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace imbrex::detail {

/// Begins a turn, within an item, of an object in a front end's own tables that a trace shows as a chare.
/// `collection`: a number that no array has. Returns false, and records nothing, unless this PE is recording.
/// If true, call `end_turn` later in this item.
bool begin_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element);
void end_turn();
/// Records that a coroutine of the object resumes. If true, call `suspend_turn` instead of `end_turn` later
/// in this item.
bool resume_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element);
/// Records that the coroutine waits, or has ended. The turn that `begin_turn` began continues until its
/// `end_turn`.
void suspend_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element, bool has_ended);
/// Sets the names in reports: "Worker", "Worker(3)".
void name_turns(std::uint32_t collection, std::string_view class_name, std::uint64_t element,
                std::string_view element_name);

}  // namespace imbrex::detail
