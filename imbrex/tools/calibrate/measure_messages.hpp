// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/coro/task.hpp>
#include <imbrex/tools/calibrate/measurement.hpp>

namespace imbrex::calibrate {

/// In the main task of a run on at least two PEs: measures the costs of messages between PE 0 and another
/// one, which is of another process if there are several. `rounds`: number of samples of each.
task<> measure_messages(int rounds, measurement& into);

/// Measures copies from host memory to host memory.
void measure_host_copy(int rounds, measurement& into);

}  // namespace imbrex::calibrate
