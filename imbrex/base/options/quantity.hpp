// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// A time such as "200us", "1.5ms" or "0s": a decimal number without sign, then ns, us, ms, s, min or h.
/// Rounded to nanoseconds; nothing if it has another form or does not fit.
std::optional<nanoseconds> parse_duration(std::string_view text);

/// A rate such as "1GB/s" or "0.5Mbit/s" in bytes a second: a decimal number without sign, then B/s, kB/s,
/// MB/s, GB/s, kbit/s, Mbit/s or Gbit/s; k is 1000. Rounded to a byte; nothing if it has another form or does
/// not fit.
std::optional<std::uint64_t> parse_rate(std::string_view text);

/// A number of bytes such as "64kB", "1.5MB": a decimal number without sign, then B, kB, MB or GB; k is 1000.
/// Rounded to a byte; nothing if it has another form or does not fit.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// The time in the largest unit that gives a whole number, as `parse_duration` reads it: "200us".
std::string duration_text(nanoseconds time);

/// Bytes a second in the largest unit that gives a whole number, as `parse_rate` reads it: "125MB/s".
std::string rate_text(std::uint64_t bytes_per_second);

}  // namespace imbrex
