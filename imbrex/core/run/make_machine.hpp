// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/core/options/options.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/core/run/machine.hpp>

namespace imbrex::detail {

/// Makes the machine of `--machine` for one process's part of a run. Throws usage_error if the device model
/// is unknown.
std::unique_ptr<machine> make_machine(const options& settings, local_run& run);

}  // namespace imbrex::detail
