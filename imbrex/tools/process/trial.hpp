// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/tools/process/descendants.hpp>
#include <imbrex/tools/process/signal_source.hpp>

namespace imbrex::tools {

/// The result of a trial.
struct trial_result {
  int status = 0;          ///< exit status; 128 and the signal's number; or `timeout_status`
  bool timed_out = false;  ///< ended after its time limit
  nanoseconds wall{0};     ///< from its start to its end
  nanoseconds lost{0};     ///< time of earlier attempts, given up because this process was stopped
  std::string output;      ///< end of the combined standard output and error
};

/// The line with the reason of a trial's failure: the last line that begins with "error:" or has ": error:"
/// (help may follow); otherwise the last line that is not empty.
std::string telling_line(const trial_result& of);

/// A signal has requested the end of the command; no process of its trials is left.
class interrupted : public error {
 public:
  explicit interrupted(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// A program was given up because this command was stopped during each attempt.
class disturbed : public error {
 public:
  using error::error;
};

/// Runs programs, one at a time, and records their results. While it lives it takes over this process's
/// signals and children. At most one object at a time.
class trial_runner {
 public:
  /// The number of bytes kept of a trial's output.
  static constexpr std::size_t kept_output = 16'384;

  trial_runner();

  /// Runs a program to its end, in its own process group, without standard input. The program is ended after
  /// `limit`; processes that it leaves behind are always ended. SIGTSTP (Ctrl-Z) stops this process and the
  /// group. A stop during a run makes its time unknown, so the program is ended and run again; after some
  /// attempts it is given up. Throws `usage_error` if the program cannot be run, `disturbed` if it is given
  /// up, `interrupted` after SIGINT, SIGQUIT, SIGTERM or SIGHUP.
  trial_result run(const std::vector<std::string>& command, nanoseconds limit);

 private:
  using time_point = std::chrono::steady_clock::time_point;
  struct running_trial;

  std::optional<trial_result> run_once(const std::vector<std::string>& command, nanoseconds limit,
                                       nanoseconds& lost);
  void turn(running_trial& one, time_point until);
  void take(running_trial& one, int signal);
  void end(running_trial& one);
  void end_leftovers(running_trial& one);

  signal_source signals_{SIGTSTP, SIGCONT};
  std::set<pid_t> strangers_ = running_children();  // children from before, not trials
};

}  // namespace imbrex::tools
