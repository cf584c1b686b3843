// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace imbrex::tools {

/// The end of one process of a job.
struct ending {
  std::string name;              ///< "rank 2 (pid 4711)", "process 2 (pid 4711, ranks 4 to 5)"
  int status;                    ///< 0 to 255, or 128 and the signal's number
  std::optional<int> signal;     ///< signal that killed it
  std::optional<int> announced;  ///< status that the process announced before
  bool in_run;                   ///< other processes depend on it
  bool is_requested;             ///< the launcher or the terminal has sent it that signal
};

/// Texts such as "with status 3", "by signal 9 (Killed)", "with status 0 in the middle of a run".
std::string describe(const ending& one);

/// The MPI ranks of a process if all processes have the same number of PEs: "rank 3", "ranks 4 to 7", or "no
/// rank".
std::string words_of_ranks(int process, int processes, int ranks);

/// The status that counts for the job: 1 instead of 0 in the middle of a run, else the process's own.
int status_of(const ending& one);

/// Determines a job's status and its message from the endings of its processes. The first failure counts. But
/// processes that are notified of another's death also end, and may be seen to end first. So among the
/// endings within `settling_time`, a death by a signal counts before an unannounced status, and that before
/// an announced one. On a busy machine a killed process takes longer to end than processes that miss it.
/// While a process is seen to be ending, its end is awaited, up to `longest_settling_time`; the launcher has
/// killed all processes long before. The launcher itself may be late: nothing is decided before it has added
/// all received endings.
class verdict {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds settling_time{200};
  static constexpr std::chrono::milliseconds longest_settling_time{10'000};

  void add(const ending& one, time_point now);

  /// True between the first failure and the decision.
  bool is_open() const;

  /// A process is ending, in a way still unknown.
  void expect_another(time_point now);

  /// Decides all that has been open for long enough. Call it after adding all received endings.
  void settle(time_point now);

  /// A process reports why the job ends, and will end with status 1. An ending added before the decision
  /// replaces this message.
  void complain(const std::string& text, time_point now);

  /// The job's status, as known now.
  int status() const { return status_; }

  /// The time of the first unannounced failure, after which the other processes should end, too.
  std::optional<time_point> failed_at() const { return failed_at_; }

  /// The time from which `message` may be called; empty if there is no message.
  std::optional<time_point> message_due() const;

  /// The only message about the failure; a second call returns "".
  std::string message();

 private:
  /// The time until which a decision that began at `since` stays open.
  time_point settled_at(time_point since) const;

  int weight_ = 0;  // weight of the failure that counts; 0: none
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
