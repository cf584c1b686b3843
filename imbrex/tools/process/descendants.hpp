// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <set>

namespace imbrex::tools {

/// The running processes that have this one as their parent, but for `strangers`. Once it is a subreaper,
/// these are in the end all that its children have left behind; and what it had before it started any (a
/// script may have started something and then become this program) are strangers.
std::set<pid_t> running_children(const std::set<pid_t>& strangers = {});

/// True of a process that has been sent SIGKILL or has begun to end, until its parent has waited for it. Its
/// memory goes before its connections are closed, so that others may miss it before they see them closed.
bool is_ending(pid_t process);

}  // namespace imbrex::tools
