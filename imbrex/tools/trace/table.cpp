// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/table.hpp>

#include <algorithm>

namespace imbrex::tools {

std::string table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& cells : rows_)
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], cells[c].size());
  std::string all;
  for (const auto& cells : rows_) {
    for (std::size_t c = 0; c < columns; ++c) {
      all += "  ";
      if (c + 1 < columns) all.append(widths[c] - cells[c].size(), ' ');
      all += cells[c];
    }
    all.erase(all.find_last_not_of(' ') + 1);
    all += '\n';
  }
  return all;
}

}  // namespace imbrex::tools
