// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <vector>

namespace imbrex::detail {

/// A set of processors by the system's numbers; several cpu_set_t in a row, since one ends at 1,024.
using processor_mask = std::vector<cpu_set_t>;

/// The mask of this thread; empty if the system does not report it.
processor_mask affinity_of_this_thread();
/// False if the system refuses; errno has the reason.
bool set_affinity_of_this_thread(const processor_mask& mask);

/// The processors of a mask, in order.
std::vector<int> processors_in(const processor_mask& mask);
processor_mask mask_of(int processor);

}  // namespace imbrex::detail
