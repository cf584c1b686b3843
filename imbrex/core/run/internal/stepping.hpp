// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

/// What machines share that step their PEs themselves.

/// Does something as a PE; what it throws fails the run.
template <class Function>
void act_as(local_run& r, processor& pe, Function function) {
  const scheduler::activation mine(pe);
  try {
    function();
  } catch (...) {
    r.fail("on PE " + std::to_string(pe.pe()) + ": " + describe_current_exception());
  }
}

/// Has all PEs see what their devices have done. True if it was anything.
inline bool look_at_devices(local_run& r) {
  bool found = false;
  for (int p = 0; p < r.num_pes(); ++p) {
    auto& pe = r.processor_at(p);
    if (pe.completions() != nullptr)
      act_as(r, pe, [&] { found |= device_completions::of(pe)->look_at_all(); });
  }
  return found;
}

}  // namespace imbrex::detail
