// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/command_words.hpp>

#include <algorithm>
#include <cstddef>

namespace imbrex {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Reads the word at `at`, and advances `at` to its end.
std::optional<std::string> next_word(std::string_view line, std::size_t& at) {
  std::string word;
  while (at < line.size() && !is_blank(line[at])) {
    const char c = line[at++];
    if (c != '\'' && c != '"') {
      word += c;
      continue;
    }
    const std::size_t closed = line.find(c, at);
    if (closed == std::string_view::npos) return std::nullopt;
    word += line.substr(at, closed - at);
    at = closed + 1;
  }
  return word;
}

/// True for a character that is neither a blank nor special to a shell.
bool is_plain(char c) {
  constexpr std::string_view others = "-_=+,.:/@%^";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         others.find(c) != std::string_view::npos;
}

}  // namespace

bool is_option_word(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

std::optional<std::vector<std::string>> command_words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '#') break;
    auto word = next_word(line, at);
    if (!word) return std::nullopt;
    words.push_back(*std::move(word));
  }
  return words;
}

std::vector<std::string> listed_values(std::string_view list) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    values.emplace_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return values;
}

std::string quoted_word(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return text + "'";
}

std::string command_line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted_word(word);
  return line;
}

}  // namespace imbrex
