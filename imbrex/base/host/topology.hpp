// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex {

/// The number of processors that this process may use: those of its affinity mask, limited by its control
/// group's CPU quota, rounded up. The mask is that of the first call of a function of this file. At least 1.
/// O(1) after the first call.
int usable_processors();

/// The system's numbers of the processors of the affinity mask, in order.
std::span<const int> usable_processor_numbers();

/// The number of processors of this host, usable or not.
int processors_of_host();

/// The smallest quota of this process's control group (version 2) and of those around it, in whole
/// processors, rounded up. 0 if there is none.
int processors_of_control_group();

/// The usable processor to which the `pe`-th PE (from 0) is bound. PEs go to distinct physical cores first,
/// then to further hardware threads of these; after that the order repeats.
int processor_of_pe(int pe);

/// Binds the calling thread to the processor of that PE and returns the processor's name, such as "processor
/// 3". Throws `error` if the system refuses.
std::string bind_this_thread(int pe);

/// Lets the calling thread, and threads that it starts later, run on every usable processor again. Does
/// nothing if the system refuses.
void unbind_this_thread() noexcept;

namespace detail {

/// The order in which PEs take processors, given the usable hardware threads of each physical core.
std::vector<int> binding_order(std::span<const std::vector<int>> cores);

/// The number of processors in a cgroup-v2 `cpu.max` line, rounded up; 0 for no limit or an unreadable line.
int processors_of_quota(std::string_view cpu_max);

}  // namespace detail
}  // namespace imbrex
