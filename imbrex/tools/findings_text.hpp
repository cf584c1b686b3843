// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace imbrex::tools {

/// Formats the findings of all processes as lines for people. `found`: the JSON that `imbrex info --json`
/// prints.
std::string text_of(const nlohmann::ordered_json& found);

/// "0-3,8" for 0, 1, 2, 3 and 8.
std::string ranges(std::span<const int> numbers);

}  // namespace imbrex::tools
