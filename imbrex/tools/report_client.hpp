// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>

namespace imbrex::tools {

/// The processes of runs on this host that a user means by a process id: that process and all that it has
/// started, such as those of `imbrex run`. Without an id, all of this user's. Throws `error` if there is
/// none, or if they belong to another user.
std::set<pid_t> processes_to_ask(std::optional<pid_t> process);

/// Asks a process of a run what it does. Returns its report as text, or as one JSON object. Throws `error`
/// with the reason if it does not answer.
std::string ask_for_report(pid_t process, bool json);

}  // namespace imbrex::tools
