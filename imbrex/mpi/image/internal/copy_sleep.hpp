// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace imbrex::mpi {

struct copy_state;

/// End of a copy's sleep. `not_begun`: the copy cannot wait here, as on a thread that it has started.
/// `interrupted`: a signal handler was called. `passed`: the time has passed.
enum class sleep_end { not_begun, interrupted, passed };

/// Runs others for `time`; 0: yields to those that are ready. `left` gets the rest of the time.
sleep_end sleep_copy(copy_state& s, std::chrono::nanoseconds time, std::chrono::nanoseconds* left = nullptr);

/// Sets errno of this thread and returns -1, for a function that has waited. Not inlined: the copy may
/// continue on another thread, which has another errno.
int failed_wait(int error);

}  // namespace imbrex::mpi
