// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/tools/job.hpp>

namespace imbrex::tools {

/// Runs the job, and starts it anew from its newest whole checkpoint each time that a process of it has died,
/// at most `restarts.most` times. It ends after three deaths in a row without a new checkpoint. Removes the
/// folder of checkpoints in memory at the end. Otherwise as `run_job`.
int run_with_restarts(const job_settings& settings);

}  // namespace imbrex::tools
