// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/option_values.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/error.hpp>
#include <imbrex/options.hpp>

namespace harness {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t least) {
  const auto number = imbrex::parse_number<std::int64_t>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

}  // namespace

void refuse(std::string_view option, const std::string& value, const std::string& why) {
  throw imbrex::usage_error(std::string(option) + " '" + value + "': " + why);
}

std::optional<std::vector<std::int64_t>> whole_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string& value : imbrex::listed_values(text)) {
    const auto number = whole_number(value, 1);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

extents grid_of(const std::string& text) {
  const auto numbers = whole_numbers(text);
  if (!numbers || numbers->size() != 3)
    refuse("--grid", text,
           "the grid's cells in x, y and z must be three whole numbers from 1 to " + std::to_string(most) +
               ", such as --grid 256,256,256");
  return {(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

std::vector<std::int64_t> odf_of(const std::string& text) {
  auto numbers = whole_numbers(text);
  if (!numbers)
    refuse("--odf", text,
           "the overdecomposition factors must be whole numbers from 1 to " + std::to_string(most) +
               ", such as --odf 4 or --odf 1,2,4,8,16");
  return *std::move(numbers);
}

std::int64_t count_of(std::string_view option, const std::string& text, std::int64_t least,
                      const std::string& noun) {
  const auto number = whole_number(text, least);
  if (!number)
    refuse(option, text,
           "the " + noun + " must be a whole number from " + std::to_string(least) + " to " +
               std::to_string(most));
  return *number;
}

fraction fraction_of(std::string_view option, const std::string& text, const std::string& noun) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view all = text;
  const auto part = imbrex::parse_number<std::int64_t>(all.substr(0, slash));
  const auto of = imbrex::parse_number<std::int64_t>(all.substr(std::min(slash + 1, text.size())));
  if (!part || !of || *part < 0 || *part > *of || *of < 1 || *of > most)
    refuse(option, text, "the part of the " + noun + " must be a fraction from 0/1 to 1/1, such as 1/6");
  return {*part, *of};
}

double tolerance_of(const std::string& text) {
  const auto number = imbrex::parse_number<double>(text);
  if (!number || !std::isfinite(*number) || *number <= 0)
    refuse("--tolerance", text,
           "the tolerance must be a number greater than 0, such as 1e-4; leave --tolerance out to make all "
           "iterations");
  return *number;
}

std::string file_of(std::string_view option, const std::string& text) {
  if (text.empty()) refuse(option, text, "give the name of a file");
  return text;
}

std::optional<std::string> read_options(imbrex::command own, int argc, char** argv) {
  own.others(imbrex::option_names(), imbrex::options_help());
  return own.read(std::vector<std::string>(argv + 1, argv + argc));
}

}  // namespace harness
