// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/run/local_run.hpp>
#include <imbrex/net/local/delayed.hpp>

namespace imbrex::detail {

/// Delivers one message of those that are on their way, or resumes what one has made ready. False when the run has ended.
bool step_deterministic(local_run& r, delayed_transport& wire);
/// Steps to the end.
void run_deterministic(local_run& r, delayed_transport& wire);

}  // namespace imbrex::detail
