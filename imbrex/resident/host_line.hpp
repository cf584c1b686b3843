// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/resident/machine.hpp>

namespace imbrex::resident::detail {

/// Text of a line that a chare prints, with its values inserted. `{}` stands for the next value, `{{` and
/// `}}` for braces. Values without a place follow at the end. Places without a value stay. `line` is in a
/// slot.
std::string text_of_line(const host_slot& line);

}  // namespace imbrex::resident::detail
