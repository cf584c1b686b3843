// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace imbrex {

/// How many single-character insertions, deletions, replacements and swaps of neighbours turn `a` into `b`,
/// no substring being edited twice (the optimal string alignment distance). O(|a| |b|).
int edit_distance(std::string_view a, std::string_view b);

/// The word of `known` that is the fewest edits from `word`, the first of equals; empty if the best is more
/// than max(2, |word| / 3) edits away. For "did you mean ...?".
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace imbrex
