// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/harness/extents.hpp"

namespace CLI {
class App;
}

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

/// Throws imbrex::usage_error if the program was given arguments that are no options of its own or of the
/// runtime.
void refuse_rest(const CLI::App& app);

}  // namespace harness
