// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/quantity.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>

namespace imbrex {
namespace {

struct unit {
  std::string_view name;
  std::uint64_t size;
};

// The largest unit is first, and text is written in the first unit that divides the value. Bits,
// minutes and hours are never written.
constexpr std::array<unit, 4> times{{{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};
constexpr std::array<unit, 2> long_times{{{"h", 3'600'000'000'000}, {"min", 60'000'000'000}}};
constexpr std::array<unit, 4> rates{
    {{"GB/s", 1'000'000'000}, {"MB/s", 1'000'000}, {"kB/s", 1'000}, {"B/s", 1}}};
constexpr std::array<unit, 4> sizes{{{"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}, {"B", 1}}};
constexpr std::array<unit, 3> bit_rates{{{"Gbit/s", 125'000'000}, {"Mbit/s", 125'000}, {"kbit/s", 125}}};

/// The text as a number of the smallest unit, rounded.
std::optional<std::uint64_t> parse(std::string_view text, std::span<const unit> units) {
  if (text.empty() || text.front() < '0' || text.front() > '9')
    return std::nullopt;  // from_chars would accept "inf"
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (problem != std::errc{}) return std::nullopt;
  const std::string_view name(stopped, static_cast<std::size_t>(end - stopped));
  for (const unit& u : units) {
    if (u.name != name) continue;
    const double value = std::round(number * static_cast<double>(u.size));
    constexpr double limit = 9.2e18;  // also fits into a signed 64-bit number
    return value < limit ? std::optional(static_cast<std::uint64_t>(value)) : std::nullopt;
  }
  return std::nullopt;
}

std::string write(std::uint64_t value, std::span<const unit> units) {
  const unit* chosen = &units.back();
  for (const unit& u : units)
    if (value % u.size == 0 && value != 0) {
      chosen = &u;
      break;
    }
  return std::to_string(value / chosen->size) + std::string(chosen->name);
}

}  // namespace

std::optional<nanoseconds> parse_duration(std::string_view text) {
  auto value = parse(text, times);
  if (!value) value = parse(text, long_times);
  return value ? std::optional(nanoseconds(*value)) : std::nullopt;
}

std::optional<std::uint64_t> parse_rate(std::string_view text) {
  const auto in_bytes = parse(text, rates);
  return in_bytes ? in_bytes : parse(text, bit_rates);
}

std::optional<std::uint64_t> parse_size(std::string_view text) { return parse(text, sizes); }

std::string duration_text(nanoseconds time) {
  const auto size = static_cast<std::uint64_t>(std::abs(time.count()));
  return (time.count() < 0 ? "-" : "") + write(size, times);
}

std::string rate_text(std::uint64_t bytes_per_second) { return write(bytes_per_second, rates); }

}  // namespace imbrex
