// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace imbrex::detail {

/// Inside of an item: the turn of an object that a front end keeps in tables of its own, and that a trace is
/// to show as a chare. `collection` is a number that no array has. Returns false, and records nothing, unless
/// this PE records now; else `end_turn` follows in the same item.
bool begin_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element);
void end_turn();
/// The same of a coroutine of such an object that goes on: if it returns true, `suspend_turn` follows in
/// the same item, in the place of `end_turn`.
bool resume_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element);
/// That coroutine waits, or has ended. What `begin_turn` began goes on to its `end_turn`.
void suspend_turn(std::string_view entry, std::uint32_t collection, std::uint64_t element, bool has_ended);
/// What reports call these: "Worker", "Worker(3)".
void name_turns(std::uint32_t collection, std::string_view class_name, std::uint64_t element,
                std::string_view element_name);

}  // namespace imbrex::detail
