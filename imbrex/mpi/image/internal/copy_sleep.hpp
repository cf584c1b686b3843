// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace imbrex::mpi {

struct copy_state;

/// How a sleep of a copy has ended: it cannot wait here, as on a thread that it has started; a handler of a
/// signal has been called; the time has passed.
enum class sleep_end { not_begun, interrupted, passed };

/// Lets others run for that long; with 0 those that can. `left` is what is left of the time then.
sleep_end sleep_copy(copy_state& s, std::chrono::nanoseconds time, std::chrono::nanoseconds* left = nullptr);

}  // namespace imbrex::mpi
