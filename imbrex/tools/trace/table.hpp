// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace imbrex::tools {

/// A text table with a heading. All columns but the last are right-aligned.
class table {
 public:
  explicit table(std::vector<std::string> heading) : rows_{std::move(heading)} {}
  /// Adds a row, which must have as many cells as the heading.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace imbrex::tools
