// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace imbrex {

/// How many processors this process may use: those of its affinity mask as it was at the first call of a
/// function of this file, and no more than its control group's CPU quota, rounded up, pays for. At least 1.
/// O(1) after the first.
int usable_processors();

/// The system's numbers of the processors of that affinity mask, in order.
std::span<const int> usable_processor_numbers();

/// How many processors this host has, whoever may use them.
int processors_of_host();

/// How many whole processors the smallest quota pays for of this process's control group (version 2) and of
/// those around it, rounded up; 0 if there is none.
int processors_of_control_group();

/// The usable processor that the `pe`-th PE (from 0) is bound to. PEs go to distinct physical cores first,
/// then to further hardware threads of these, then round again.
int processor_of_pe(int pe);

/// Binds the calling thread to the processor of that PE and returns what that is, such as "processor 3".
/// Throws `error` if the system refuses.
std::string bind_this_thread(int pe);

/// Lets the calling thread run on every usable processor again, which threads it starts from then on inherit.
/// Does nothing where the system refuses.
void unbind_this_thread() noexcept;

namespace detail {

/// The order in which PEs take processors, given the usable hardware threads of each physical core.
std::vector<int> binding_order(std::span<const std::vector<int>> cores);

/// The whole processors that a cgroup-v2 `cpu.max` line pays for, rounded up; 0 for no limit or an unreadable
/// line.
int processors_of_quota(std::string_view cpu_max);

}  // namespace detail
}  // namespace imbrex
