// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/readable.hpp>

#include <fmt/format.h>

#include <array>
#include <span>

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

}  // namespace imbrex::tools
