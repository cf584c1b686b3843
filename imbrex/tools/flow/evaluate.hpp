// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/trace/flow.hpp>

namespace imbrex::tools {

/// The result of an evaluation.
struct evaluated_run {
  nanoseconds time{0};       ///< to the end of the run
  std::uint64_t events = 0;  ///< turns of PEs, arrivals of messages, events and ends of operations on devices
};

/// Runs a flow on a machine, by the rules of the machine in simulated time. With the machine of the recorded
/// run it takes the time of that run. Throws `error` if the flow does not end: then it is damaged.
evaluated_run evaluate(const trace::flow& what, const device_model& machine);

}  // namespace imbrex::tools
