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

// The values of options that programs on grids have in common. Each function takes the text as it was given
// and throws imbrex::usage_error, with the value and the remedy, where it cannot be.

/// The greatest whole number that an option takes.
inline constexpr std::int64_t most = 0x7fff'ffff;

[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& why);

/// At least 1 each, with commas between them; none if the text is of another form.
std::optional<std::vector<std::int64_t>> whole_numbers(std::string_view text);

/// `--grid`
extents grid_of(const std::string& text);
/// `--odf`
std::vector<std::int64_t> odf_of(const std::string& text);
/// A whole number from `least` on; `noun` says what of: "number of iterations".
std::int64_t count_of(std::string_view option, const std::string& text, std::int64_t least,
                      const std::string& noun);
/// `--tolerance`
double tolerance_of(const std::string& text);
/// A file's name, which must not be empty.
std::string file_of(std::string_view option, const std::string& text);

/// Reads a program's own options, behind those of the runtime (`imbrex::parse_options`). Returns the text
/// that `--help` asks for, with the runtime's options. Throws imbrex::usage_error for arguments that are
/// neither.
std::optional<std::string> read_options(imbrex::command own, int argc, char** argv);

}  // namespace harness
