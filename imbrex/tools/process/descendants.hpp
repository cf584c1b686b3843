// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <set>

namespace imbrex::tools {

/// The running children of this process, except `strangers`. If this process is a subreaper, its descendants
/// become its children when their parents end. `strangers`: children that it had before it started any, for
/// example from a script that then became this program.
std::set<pid_t> running_children(const std::set<pid_t>& strangers = {});

/// True if the process has been sent SIGKILL or has begun to end, until its parent has waited for it. Linux
/// frees its memory before it closes its connections, so peers may detect its end before these close.
bool is_ending(pid_t process);

/// The parent of a process; 0 if it no longer exists.
pid_t parent_of(pid_t process);

/// True while a process is stopped, as by SIGSTOP or a debugger.
bool is_stopped(pid_t process);

}  // namespace imbrex::tools
