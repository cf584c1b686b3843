// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <initializer_list>
#include <optional>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/tools/process/program_start.hpp>

namespace imbrex::tools {

/// Takes the signals of a command that starts other processes while it lives: SIGCHLD, SIGINT, SIGQUIT,
/// SIGTERM, SIGHUP. Signals arrive through a descriptor, one by one between other work. Signals that were
/// ignored at the start (nohup) stay ignored, also in started processes. SIGPIPE is ignored, and the limit of
/// open files is raised as far as allowed.
class signal_source {
 public:
  /// Takes the signals of `more` and `warnings`, too. From the end of this object on the process ignores the
  /// warnings, which may come too late.
  explicit signal_source(std::initializer_list<int> more = {}, std::initializer_list<int> warnings = {});
  ~signal_source();
  signal_source(const signal_source&) = delete;
  signal_source& operator=(const signal_source&) = delete;

  const inherited_state& inherited() const { return inherited_; }
  /// Descriptor that is readable when a signal is pending.
  int get() const { return descriptor_.get(); }
  std::optional<signalfd_siginfo> next() const;
  /// Drops pending signals of this number only.
  static void forget(int signal);
  /// Performs the default action of SIGTSTP, which is taken otherwise: stops until SIGCONT, if there is a
  /// shell that could send it.
  static void stop();

 private:
  inherited_state inherited_{};
  void (*ended_child_)(int);  // earlier disposition of SIGCHLD
  std::vector<int> warnings_;
  descriptor descriptor_;
};

}  // namespace imbrex::tools
