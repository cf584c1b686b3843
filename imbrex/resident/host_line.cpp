// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/host_line.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace imbrex::resident::detail {
namespace {

std::string text_of_value(std::uint64_t bits, line_value kind) {
  switch (kind) {
    case line_value::is_signed: return std::to_string(static_cast<std::int64_t>(bits));
    case line_value::is_unsigned: return std::to_string(bits);
    case line_value::is_bool: return bits != 0 ? "true" : "false";
    case line_value::is_floating: break;
  }
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace

std::string text_of_line(const host_slot& line) {
  const auto* const begin = reinterpret_cast<const char*>(&line + 1);
  const std::string_view text(begin + line_values_bytes,
                              std::min(line.bytes - line_values_bytes, most_line_text));
  const std::uint32_t values = std::min(line.what >> 16U & 0xf, most_line_values);
  std::uint32_t next = 0;
  const auto take = [&] {
    std::uint64_t bits = 0;
    std::memcpy(&bits, begin + next * sizeof(bits), sizeof(bits));
    const auto kind = static_cast<line_value>(line.what >> (2 * next) & 3U);
    ++next;
    return text_of_value(bits, kind);
  };
  std::string all;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view two = text.substr(at, 2);
    if (two == "{}" && next < values) {
      all += take();
      ++at;
    } else {
      if (two == "{{" || two == "}}") ++at;
      all += text[at];
    }
  }
  while (next < values) all += " " + take();
  return all;
}

}  // namespace imbrex::resident::detail
