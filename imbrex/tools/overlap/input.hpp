// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/tools/overlap/model.hpp>

namespace imbrex::overlap {

/// Names of programs and data have 1 to so many printable ASCII characters.
inline constexpr std::size_t longest_name = 60;

/// Reads programs from the text of a file in JSON, if it begins with a brace, or else TOML; `docs/overlap.md`
/// lists the keys. `file` names it in errors. Throws `usage_error` naming file, line (of JSON only where the
/// syntax is wrong), key, value and remedy for what cannot be read, an unknown or missing key, a value that
/// cannot be.
std::vector<application> parse_applications(std::string_view text, const std::string& file);

/// The same from the file of that path. Throws `usage_error`, also if it cannot be read.
std::vector<application> read_applications(const std::string& path);

}  // namespace imbrex::overlap
