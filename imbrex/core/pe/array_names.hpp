// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names by which arrays are found again in another run.

#include <cstdint>
#include <string>
#include <string_view>

#include <imbrex/core/pe/collection_part.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

/// Identifies an array among all of a run: its name, and for a group also its class, as reports show it.
/// Empty if the array has no name.
std::string lasting_name(const array_origin& origin, std::string_view shown_class);

/// The array of that lasting name, if this PE knows it; else null.
const collection_part* find_named(const processor& pe, std::string_view lasting_name);

/// The number of a new array that this PE makes: the one that is reserved for it, else a new one.
std::uint64_t number_for(processor& pe, const array_origin& origin, std::string_view shown_class);
/// The array that is made later under this lasting name gets this number, on whatever PE it is made. Proxies
/// with the number can be used before. Call it on all PEs.
void reserve_number(processor& pe, const std::string& lasting_name, std::uint64_t collection);

/// The name of the next group of a class that this PE makes.
std::string next_group_name(processor& pe, std::string_view shown_class);

}  // namespace imbrex::detail
