// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace imbrex::tools {

/// How one process of a job ended.
struct ending {
  std::string name;              ///< "rank 2 (pid 4711)", "process 2 (pid 4711, ranks 4 to 5)"
  int status;                    ///< 0 to 255, or 128 and the signal's number
  std::optional<int> signal;     ///< that killed it
  std::optional<int> announced;  ///< the status that it said it would end with
  bool in_run;                   ///< the others counted on it
  bool asked_for;                ///< the launcher, or the terminal, has sent it that signal
};

/// "with status 3", "by signal 9 (Killed)", "with status 0 in the middle of a run".
std::string describe(const ending& one);

/// Which ranks of MPI a process has, where all processes have as many PEs: "rank 3", "ranks 4 to 7", or "no
/// rank".
std::string words_of_ranks(int process, int processes, int ranks);

/// What it is for the job: its status, but 1 for 0 in the middle of a run.
int status_of(const ending& one);

/// Finds out of the endings of a job's processes what the job's status is, and what must be said. The first
/// failure counts; but processes that learn of another's death end, too, and may be seen to end before it. So
/// of those that come within `settling_time`, one that a signal killed counts before one that gave a status,
/// and that before one that had announced it. On a busy machine a process that was killed takes longer to end
/// than those that miss it, so while one is seen to be ending its end is waited for, up to
/// `longest_settling_time`; the launcher has killed all long before. The launcher may be late, too: nothing
/// is decided before it has taken in all that has come.
class verdict {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds settling_time{200};
  static constexpr std::chrono::milliseconds longest_settling_time{10'000};

  void add(const ending& one, time_point now);

  /// True between the first failure and what is decided.
  bool is_open() const;

  /// A process is ending, and nobody knows yet how.
  void expect_another(time_point now);

  /// All that has come was added: what has been open for long enough is decided.
  void settle(time_point now);

  /// A process says why the job ends, and will end with status 1. What is found out of an ending before that
  /// is settled is said instead.
  void complain(const std::string& text, time_point now);

  /// The job's status as it is known now.
  int status() const { return status_; }

  /// When a process failed that had not announced it, so that the others should end, too.
  std::optional<time_point> failed_at() const { return failed_at_; }

  /// When `message` may be taken; none if there is nothing to say.
  std::optional<time_point> message_due() const;

  /// The one message about the failure; a second call gives nothing.
  std::string message();

 private:
  /// Until when what began then is open.
  time_point settled_at(time_point since) const;

  int weight_ = 0;  // of the failure that counts; 0: none
  int status_ = 0;
  std::optional<time_point> first_;
  bool decided_ = false;
  std::optional<time_point> failed_at_;
  std::string message_;
  int message_weight_ = 0;
  std::optional<time_point> message_since_;
  bool message_decided_ = false;
  time_point expected_until_ = time_point::min();
};

}  // namespace imbrex::tools
