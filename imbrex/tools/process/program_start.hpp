// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace imbrex::tools {

/// What a program that we start is given back that we have changed for ourselves.
struct inherited_state {
  sigset_t mask;
  rlimit open_files;
  void (*broken_pipe)(int);  // the disposition of SIGPIPE
};

/// The status of what ran longer than it may.
inline constexpr int timeout_status = 124;

/// Starts a program, which is killed when this thread ends. `prepare` runs in the new process before it
/// becomes the program, and may only call what is safe there. Throws `usage_error` if the program cannot be
/// run, `error` if the system has no room for another process, with `who` as its name.
pid_t start_program(const std::vector<std::string>& command, const inherited_state& state,
                    const std::string& who, const std::function<void()>& prepare);

/// There are too few descriptors or processes, by this errno, to start `who`.
[[noreturn]] void fail_to_start(const std::string& who, int code);

}  // namespace imbrex::tools
