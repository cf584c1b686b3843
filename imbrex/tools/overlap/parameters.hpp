// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include <imbrex/tools/overlap/model.hpp>

namespace imbrex::overlap {

/// The parameters of programs in the format that `read_applications` reads.
nlohmann::ordered_json parameters_json(std::span<const application> of);

/// The parameters of programs as a table like the paper's table 2.
std::string parameters_text(std::span<const application> of);

}  // namespace imbrex::overlap
