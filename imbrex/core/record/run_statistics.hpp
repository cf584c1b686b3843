// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <imbrex/core/record/pe_counts.hpp>

namespace imbrex::detail {

/// What `--stats` says of the PEs of this process on the standard error output: every ten seconds a line, and
/// at the end of the run a summary.
class run_statistics {
 public:
  /// `who`: how the lines begin, such as "process 1 of 4: "; empty for a process by itself. `time`: of the
  /// PEs; only if it is real may another thread read it while they run.
  run_statistics(std::string who, const clock& time, bool is_real_time);
  ~run_statistics();
  run_statistics(const run_statistics&) = delete;
  run_statistics& operator=(const run_statistics&) = delete;

  /// For one more PE; before the run.
  pe_counts& add_pe() { return pes_.emplace_back(); }
  /// From now on time counts.
  void begin();
  /// The run has ended, and nobody counts any more: says the summary.
  void end();

  /// What `end` says, after a run that took so long.
  std::string summary(nanoseconds took) const;
  /// What it says every ten seconds; it has run so long. `now`: the time of the PEs, if that goes on by
  /// itself.
  std::string progress(nanoseconds took, std::optional<nanoseconds> now) const;

 private:
  struct totals;
  totals add_up() const;
  void say_progress();
  void stop();

  const std::string who_;
  const clock& time_;
  const bool is_real_time_;
  nanoseconds begun_{0};
  std::deque<pe_counts> pes_;

  std::mutex lock_;  // of what follows
  bool ending_ = false;
  std::condition_variable end_;
  std::thread teller_;
};

}  // namespace imbrex::detail
