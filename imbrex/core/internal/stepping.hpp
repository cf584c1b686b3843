// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/core/collection_base.hpp>
#include <imbrex/core/runtime.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::detail {

/// What machines share that step their PEs themselves.

/// Does something as a PE; what it throws fails the run.
template <class Function>
void act_as(runtime& r, processor& pe, Function function) {
  const scheduler::activation mine(pe);
  try {
    function();
  } catch (...) {
    r.fail("on PE " + std::to_string(pe.pe()) + ": " + describe_current_exception());
  }
}

/// Has all PEs see what their devices have done. True if it was anything.
inline bool look_at_devices(runtime& r) {
  bool found = false;
  for (int p = 0; p < r.num_pes(); ++p) {
    auto& pe = r.processor_at(p);
    if (pe.completions() != nullptr) act_as(r, pe, [&] { found |= pe.completions()->look_at_all(); });
  }
  return found;
}

}  // namespace imbrex::detail
