// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/options/options.hpp>

namespace imbrex::detail {

/// Throws usage_error for options that cannot be, or not in a job of so many processes.
void check_options(const options& settings, int processes);

}  // namespace imbrex::detail
