// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <initializer_list>
#include <optional>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/tools/process/program_start.hpp>

namespace imbrex::tools {

/// The signals of a command that starts others, as long as this lives: SIGCHLD, SIGINT, SIGQUIT, SIGTERM,
/// SIGHUP. It takes them from a descriptor, so that they come one by one between its other work; those that
/// it was told to ignore (nohup) it leaves alone, and its processes inherit that. SIGPIPE is ignored, and as
/// many files may be open as can be.
class signal_source {
 public:
  /// Takes these, too.
  explicit signal_source(std::initializer_list<int> more = {});
  ~signal_source();
  signal_source(const signal_source&) = delete;
  signal_source& operator=(const signal_source&) = delete;

  const inherited_state& inherited() const { return inherited_; }
  /// Readable when there is a signal.
  int get() const { return descriptor_.get(); }
  std::optional<signalfd_siginfo> next() const;
  /// Drops that signal if it has come, and leaves the others.
  static void forget(int signal);
  /// Does what SIGTSTP would do if it were not taken: stops until SIGCONT, if there is a shell that could
  /// send it.
  static void stop();

 private:
  inherited_state inherited_{};
  void (*ended_child_)(int);  // the disposition of SIGCHLD that was
  descriptor descriptor_;
};

}  // namespace imbrex::tools
