// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/line_reader.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <imbrex/error.hpp>

namespace minimd {

std::optional<double> number_of(const std::string& word) {
  const bool has_plus = word.starts_with('+') && !word.starts_with("+-");
  const char* const begin = word.data() + (has_plus ? 1 : 0);
  const char* const end = word.data() + word.size();
  double value = 0;
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem == std::errc::invalid_argument || stop != end) return std::nullopt;
  return problem == std::errc() ? value : std::numeric_limits<double>::infinity();
}

void line_reader::refuse(const std::string& why) const {
  throw imbrex::usage_error(name_ + ", line " + std::to_string(line_) + ": " + why);
}

double line_reader::number(const words& of, std::size_t place, const std::string& what, bound least) const {
  const auto value = place < of.size() ? number_of(of[place]) : std::nullopt;
  if (!value) refuse("a number is missing for " + what + (place < of.size() ? ", not " + of[place] : ""));
  const auto refuse_value = [&](const char* must) {
    refuse(what + " is " + of[place] + ", and must be " + must);
  };
  if (!std::isfinite(*value)) refuse_value("a finite number");
  if (least == bound::positive && !(*value > 0)) refuse_value("more than 0");
  if (least == bound::not_negative && !(*value >= 0)) refuse_value("0 or more");
  return *value;
}

double line_reader::scale(const words& of, std::size_t place, const std::string& what) const {
  const double value = number(of, place, what, bound::positive);
  if (value < 1e-50 || value > 1e50) refuse(what + " is " + of[place] + ", and must be from 1e-50 to 1e50");
  return value;
}

std::int64_t line_reader::count(const words& of, std::size_t place, const std::string& what,
                                std::int64_t least, std::int64_t most) const {
  const double value = number(of, place, what, bound::none);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
    refuse(what + " is " + of[place] + ", and must be a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  return static_cast<std::int64_t>(value);
}

}  // namespace minimd
