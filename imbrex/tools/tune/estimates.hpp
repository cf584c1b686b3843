// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex::tune {

/// The program's option that prints estimates of its --odf, and ends.
inline constexpr const char* estimates_option = "--odf-estimates";

/// Estimated seconds by the value of --odf.
using odf_estimates = std::map<std::string, double>;

/// The estimates in what a program has printed: a line of JSON, `{"odf_estimates": [{"odf": 2, "seconds":
/// 0.01}, ...]}`. Empty if there is none; such a program is tuned by trials alone.
odf_estimates read_estimates(std::string_view printed);

/// The values whose estimate is above this multiple of the least one are not tried.
inline constexpr double pruning_ratio = 1.5;

/// The values without a chance by the estimates. Values without an estimate have one.
std::vector<std::string> pruned_values(const odf_estimates& all);

}  // namespace imbrex::tune
