// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace imbrex {

/// The optimal string alignment distance of `a` and `b`: the number of single-character insertions,
/// deletions, replacements and swaps of neighbours between them. No substring is edited twice. O(|a| |b|).
int edit_distance(std::string_view a, std::string_view b);

/// The word of `known` with the fewest edits from `word`, the first of equals. Empty if that takes more than
/// max(2, |word| / 3) edits.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// The end of an error's text: "; did you mean --pes?"
std::string question(std::string_view meant);
/// The `question` for the nearest known word; `otherwise` if none is near.
std::string question_of(std::string_view word, std::span<const std::string_view> known,
                        std::string_view otherwise);

}  // namespace imbrex
