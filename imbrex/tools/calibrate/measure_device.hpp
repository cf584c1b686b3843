// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/coro/task.hpp>
#include <imbrex/tools/calibrate/measurement.hpp>

namespace imbrex::calibrate {

/// In the main task of a run whose PE 0 has a device: measures its calls, copies and memory.
task<> measure_device(int rounds, measurement& into);

}  // namespace imbrex::calibrate
