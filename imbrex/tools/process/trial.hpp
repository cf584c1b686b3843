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

/// How a trial ended.
struct trial_result {
  int status = 0;          ///< of the program; 128 and the signal's number; or `timeout_status`
  bool timed_out = false;  ///< it was ended, since it took longer than it may
  nanoseconds wall{0};     ///< from its start to its end
  nanoseconds lost{0};     ///< in attempts before, which were given up since we were stopped
  std::string output;      ///< the last of what it wrote, standard output and error together
};

/// The line that tells why a trial failed: the last that begins with "error:" or has it behind ": ", since
/// help may follow; else the last that is not empty.
std::string telling_line(const trial_result& of);

/// Somebody wants the command to end; nothing of its trials is left.
class interrupted : public error {
 public:
  explicit interrupted(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// A program was given up: whenever it ran, this command was stopped.
class disturbed : public error {
 public:
  using error::error;
};

/// Runs programs one after the other to see what they do. Takes the process over as long as it lives: its
/// signals, its children. One at a time.
class trial_runner {
 public:
  /// How much of a trial's output is kept.
  static constexpr std::size_t kept_output = 16'384;

  trial_runner();

  /// Runs a program to its end, in a process group of its own, without standard input. What takes longer than
  /// `limit` is ended; what it leaves behind is always. SIGTSTP (Ctrl-Z) stops this process with that group.
  /// A program that was under way when this process was stopped is ended and run again, as nobody knows what
  /// time it would have taken; after some attempts it is given up. Throws `usage_error` if the program cannot
  /// be run, `disturbed` if it is given up, `interrupted` after SIGINT, SIGQUIT, SIGTERM or SIGHUP.
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
  std::set<pid_t> strangers_ = running_children();  // none of ours
};

}  // namespace imbrex::tools
