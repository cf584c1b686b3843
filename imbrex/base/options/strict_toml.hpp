// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace imbrex {
struct broken_toml {};

// A function, since g++ warns of a throw in a noexcept function, as some of those with assertions are.
[[noreturn]] inline void throw_broken_toml() { throw broken_toml(); }
}  // namespace imbrex

// The assertions of toml++ 3.3 are enabled here, and throw: some malformed files violate them, and without
// them it relies on them. All sources must see the same toml++: include it nowhere else.
#undef NDEBUG
#define TOML_ASSERT(holds) ((holds) ? void() : imbrex::throw_broken_toml())
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace imbrex {

/// The reason why a text cannot be read, and the place.
struct text_refusal {
  std::size_t line;  ///< from 1
  std::string why;
};

/// The last line of the shortest prefix that breaks the parser.
inline std::size_t broken_toml_line(std::string_view text) {
  std::size_t line = 1;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) try {
      static_cast<void>(toml::parse(text.substr(0, end)));
      ++line;
    } catch (const toml::parse_error&) {
      ++line;
    } catch (const broken_toml&) {
      return line;
    }
  return line;
}

/// Throws `text_refusal` unless there are only printable ASCII characters, tabs and ends of lines.
inline void require_printable(std::string_view text) {
  const auto odd = std::ranges::find_if_not(
      text, [](char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r'; });
  if (odd != text.end())
    throw text_refusal{static_cast<std::size_t>(std::ranges::count(text.begin(), odd, '\n')) + 1,
                       "there is a character that is not printable ASCII: remove it"};
}

/// Throws `text_refusal` for a key of very many parts, since toml++ recurses once for each part.
inline void require_short_keys(std::string_view text) {
  constexpr std::size_t most_dots = 1000;
  std::size_t dots = 0;  // with only keys in between
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const bool is_of_key = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '_' || c == '-' || c == '"' || c == '\'' || c == ' ' || c == '\t';
    if (c == '.')
      ++dots;
    else if (!is_of_key)
      dots = 0;
    if (dots > most_dots)
      throw text_refusal{static_cast<std::size_t>(std::ranges::count(text.substr(0, k), '\n')) + 1,
                         "a key has more than " + std::to_string(most_dots) + " parts"};
  }
}

/// Parses TOML of printable characters. Throws `text_refusal`. Not for installed headers: users need not have
/// toml++.
inline toml::table parse_strict_toml(std::string_view text) {
  // For some other texts toml++ 3.3 has failing assertions and undefined behaviour.
  require_printable(text);
  require_short_keys(text);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    throw text_refusal{e.source().begin.line, "this is no TOML: " + std::string(e.description())};
  } catch (const broken_toml&) {
    throw text_refusal{broken_toml_line(text), "this is no TOML"};
  }
}

}  // namespace imbrex
