// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apps/minimd/problem.hpp"
#include "apps/minimd/thermo.hpp"

namespace minimd {

/// Compares the outputs of a run with known values and returns how many were compared. Throws imbrex::error
/// for the first that differs, and imbrex::usage_error if the text has another form.
int compare_with_oracle(const std::string& json, const problem& what, const std::vector<thermo>& outputs);

}  // namespace minimd
