// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <imbrex/core/options/options.hpp>

namespace imbrex {

/// Finds the number of the newest whole checkpoint in a folder; 0: there is none.
using checkpoint_finder = std::uint64_t (*)(const std::string& folder);
/// For the front end that writes checkpoints: runs begin anew after a fault from what this function finds.
void find_checkpoints_by(checkpoint_finder find);

namespace detail {

/// The end of a run.
struct run_end {
  int status = 0;
  std::optional<machine_moment> fault{};  ///< the moment of a fault that ended it
};

/// Runs a program, and after each fault (`--fault`) runs it anew from its newest checkpoint. `run_once` runs
/// it to its end or to the next fault. Returns the status of the last run; it is 1 after three faults in a
/// row without a new checkpoint. Throws usage_error if the settings contradict each other.
int run_with_faults(options settings, const std::function<run_end(const options& settings)>& run_once);

}  // namespace detail
}  // namespace imbrex
