// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/options/option_table.hpp>

namespace imbrex {

struct options;

/// The options of all layers, in the order of the help.
const option_table<options>& runtime_table();
/// The variable of the environment in which options may stand.
inline constexpr const char* options_variable = "IMBREX_OPTIONS";
/// What a run takes from options that were not given.
void imply_options(options& chosen);

}  // namespace imbrex
