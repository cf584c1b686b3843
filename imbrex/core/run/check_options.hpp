// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/options/options.hpp>

namespace imbrex::detail {

/// Throws usage_error for impossible options, and for options impossible in a job of `processes` processes.
void check_options(const options& settings, int processes);

}  // namespace imbrex::detail
