// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/readable.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {

namespace {

struct unit {
  double size;
  const char* name;
};

std::string in_units(double number, std::span<const unit> units) {
  std::size_t k = 0;
  while (k + 1 < units.size() && number >= 999.95 * units[k].size) ++k;
  return fmt::format("{:.4g} {}", number / units[k].size, units[k].name);
}

/// The length of the UTF-8 sequence that a text begins with; 0 if it does not.
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
  // Too long for what they say, halves of pairs, beyond the last character, and controls of two bytes.
  if (length == 2 && byte(0) == 0xc2 && byte(1) < 0xa0) return 0;
  if (length == 3 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f))) return 0;
  if (length == 4 && ((byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f))) return 0;
  return length;
}

}  // namespace

std::string readable_time(double nanoseconds) {
  static constexpr std::array<unit, 4> units{{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
  return in_units(nanoseconds, units);
}

std::string readable_bytes(double bytes) {
  static constexpr std::array<unit, 5> units{{{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}}};
  return in_units(bytes, units);
}

std::string readable_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

std::string readable_part(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string printable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t length = sequence(name);
    const auto first = static_cast<unsigned char>(name[0]);
    if (length == 0 || first < 0x20 || first == 0x7f)
      text += '?';
    else
      text += name.substr(0, length);
    name.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw error(std::string("the standard output cannot be written: ") + std::strerror(errno));
}

}  // namespace imbrex::tools
