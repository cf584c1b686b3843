// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace imbrex::tools {

/// State of this process before its own changes, restored in programs that it starts.
struct inherited_state {
  sigset_t mask;
  rlimit open_files;
  void (*broken_pipe)(int);  // disposition of SIGPIPE
};

/// Exit status after a timeout.
inline constexpr int timeout_status = 124;

/// Starts a program that is killed when this thread ends. `prepare` runs in the new process before exec, so
/// it may only make async-signal-safe calls. Throws `usage_error` if the program cannot be run, `error`
/// naming `who` if the system cannot start another process.
pid_t start_program(const std::vector<std::string>& command, const inherited_state& state,
                    const std::string& who, const std::function<void()>& prepare);

/// Reports that `who` cannot start for lack of descriptors or processes; `code` is the errno.
[[noreturn]] void fail_to_start(const std::string& who, int code);

}  // namespace imbrex::tools
