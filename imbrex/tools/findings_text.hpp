// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace imbrex::tools {

/// What `imbrex info` has found in all processes (`found`, as its --json prints it), in lines for people.
std::string text_of(const nlohmann::ordered_json& found);

/// "0-3,8" for 0, 1, 2, 3 and 8.
std::string ranges(std::span<const int> numbers);

}  // namespace imbrex::tools
