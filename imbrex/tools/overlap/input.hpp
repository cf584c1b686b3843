// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/tools/overlap/model.hpp>

namespace imbrex::overlap {

/// The longest name of a program or datum, in printable ASCII characters; the shortest has 1.
inline constexpr std::size_t longest_name = 60;

/// Parses programs from JSON, if the text begins with a brace, else from TOML; `docs/overlap.md` lists the
/// keys. `file` is its name in errors. Throws `usage_error` for invalid syntax, unknown or missing keys, and
/// impossible values. The text names file, line (in JSON for syntax errors only), key, value and remedy.
std::vector<application> parse_applications(std::string_view text, const std::string& file);

/// Reads programs from the file at `path`. Throws `usage_error`, also if it cannot be read.
std::vector<application> read_applications(const std::string& path);

}  // namespace imbrex::overlap
