// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <vector>

namespace imbrex::detail {

/// Processors by the system's numbers; several sets in a row because one ends at 1,024.
using processor_mask = std::vector<cpu_set_t>;

/// Empty if the system does not tell.
processor_mask affinity_of_this_thread();
/// False if the system refuses; errno says why.
bool set_affinity_of_this_thread(const processor_mask& mask);

/// In order.
std::vector<int> processors_in(const processor_mask& mask);
processor_mask mask_of(int processor);

}  // namespace imbrex::detail
