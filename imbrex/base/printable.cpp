// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/printable.hpp>

#include <cstddef>

namespace imbrex {
namespace {

/// The length of the UTF-8 sequence at the beginning of a text; 0 if there is none.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xc2 ? 0
                             : byte(0) < 0xe0 ? 2
                             : byte(0) < 0xf0 ? 3
                             : byte(0) < 0xf5 ? 4
                                              : 0;
  if (length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0U) != 0x80) return 0;
  // Rejects overlong sequences, surrogates, values above the last character, and controls of two bytes.
  if (length == 2 && byte(0) == 0xc2 && byte(1) < 0xa0) return 0;
  if (length == 3 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f))) return 0;
  if (length == 4 && ((byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f))) return 0;
  return length;
}

/// The length of the character at the beginning of a text; 0 if its first byte must be escaped.
std::size_t character(std::string_view text, bool of_lines) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20 || first == 0x7f) return of_lines && (first == '\n' || first == '\t') ? 1 : 0;
  return sequence(text);
}

std::string escaped(std::string_view text, bool of_lines) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = character(text, of_lines);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text[0]);
      shown += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view words) { return escaped(words, false); }

std::string printable_lines(std::string_view text) { return escaped(text, true); }

bool is_printable(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = character(text, true);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace imbrex
