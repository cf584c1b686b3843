// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/tools/predict/settings.hpp>

namespace imbrex::predict {

/// Predicts a program's times, and prints the report. Returns the exit status. Throws `error` if the program
/// cannot be run in simulated time, and `tools::interrupted`.
int predict(const settings& request);

}  // namespace imbrex::predict
