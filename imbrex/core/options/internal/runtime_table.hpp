// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/base/options/option_table.hpp>

namespace imbrex {

struct options;

/// The options of all layers, in the order of the help.
const option_table<options>& runtime_table();
/// The environment variable with options.
inline constexpr const char* options_variable = "IMBREX_OPTIONS";
/// Sets fields that follow from other options, if their own options were not given.
void imply_options(options& chosen);

}  // namespace imbrex
