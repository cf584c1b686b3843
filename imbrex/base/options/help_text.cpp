// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/help_text.hpp>

#include <algorithm>

namespace imbrex {

std::string wrapped(std::string_view text, std::size_t column, std::size_t indent) {
  std::string lines;
  bool begins = true;  // the line is empty so far
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (!begins && column + 1 + end > help_width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) {
      lines += ' ';
      ++column;
    }
    lines += text.substr(0, end);
    column += end;
    begins = false;
    if (end == text.size()) break;
    if (text[end] == '\n') {
      lines += "\n" + std::string(end + 1 < text.size() && text[end + 1] != '\n' ? indent : 0, ' ');
      column = indent;
      begins = true;
    }
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace imbrex
