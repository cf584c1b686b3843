// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/minimd/problem.hpp"
#include "apps/minimd/thermo.hpp"

namespace minimd {

/// How many outputs of a run the known values have, all of which are met. Throws imbrex::error for the first
/// that is not, and imbrex::usage_error if the text is of another form.
int compare_with_oracle(const std::string& json, const problem& what, const std::vector<thermo>& outputs);

}  // namespace minimd
