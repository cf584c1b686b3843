// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/nearest.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <imbrex/base/printable.hpp>

namespace imbrex {

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the swap of two neighbours uses the row two before.
  std::vector<int> two_back(b.size() + 1);
  std::vector<int> back(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back.swap(back);
    back.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, back[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  int best_distance = std::numeric_limits<int>::max();
  for (const std::string_view candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best_distance > std::max(2, static_cast<int>(word.size() / 3)) ? std::string_view{} : best;
}

std::string question(std::string_view meant) { return "; did you mean " + printable(meant) + "?"; }

std::string question_of(std::string_view word, std::span<const std::string_view> known,
                        std::string_view otherwise) {
  const std::string_view meant = nearest(word, known);
  return meant.empty() ? std::string(otherwise) : question(meant);
}

}  // namespace imbrex
