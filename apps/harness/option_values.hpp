// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/options/command.hpp>

#include "apps/harness/extents.hpp"

namespace harness {

// Values of options common to programs on grids. Each function parses the option's text. It throws
// imbrex::usage_error, with the value and the remedy, for an invalid value.

/// The greatest whole number that an option accepts.
inline constexpr std::int64_t most = 0x7fff'ffff;

[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& why);

/// Whole numbers of at least 1, separated by commas; nullopt for any other text.
std::optional<std::vector<std::int64_t>> whole_numbers(std::string_view text);

/// `--grid`
extents grid_of(const std::string& text);
/// `--odf`
std::vector<std::int64_t> odf_of(const std::string& text);
/// A whole number of at least `least`. `noun`: its name in errors, "number of iterations".
std::int64_t count_of(std::string_view option, const std::string& text, std::int64_t least,
                      const std::string& noun);
/// A part of a whole.
struct fraction {
  std::int64_t part = 1, of = 1;
};
/// A fraction from 0/1 to 1/1. `noun`: the whole in errors, "blocks".
fraction fraction_of(std::string_view option, const std::string& text, const std::string& noun);
/// `--tolerance`
double tolerance_of(const std::string& text);
/// A file name, which must not be empty.
std::string file_of(std::string_view option, const std::string& text);

/// Reads a program's own options, after those of the runtime (`imbrex::parse_options`). Returns the text of
/// `--help`, with the runtime's options, if requested. Throws imbrex::usage_error for unknown arguments.
std::optional<std::string> read_options(imbrex::command own, int argc, char** argv);

}  // namespace harness
