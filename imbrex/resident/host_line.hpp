// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/resident/machine.hpp>

namespace imbrex::resident::detail {

/// The text of a line that a chare prints, its values in their places: `{}` stands for the next one, `{{` and
/// `}}` for braces. Values without a place follow at the end, and places without a value stay. `line` is in a
/// slot.
std::string text_of_line(const host_slot& line);

}  // namespace imbrex::resident::detail
