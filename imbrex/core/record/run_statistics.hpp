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

/// Prints `--stats` of this process's PEs to standard error: a line every ten seconds, and a summary at the
/// end.
class run_statistics {
 public:
  /// `who`: begin of the lines, such as "process 1 of 4: "; empty for a single process. `time`: the clock of
  /// the PEs. Other threads may read it during the run only if it is real time.
  run_statistics(std::string who, const clock& time, bool is_real_time);
  ~run_statistics();
  run_statistics(const run_statistics&) = delete;
  run_statistics& operator=(const run_statistics&) = delete;

  /// Adds the counters of a PE. Call it before the run.
  pe_counts& add_pe() { return pes_.emplace_back(); }
  /// Starts the clock of the statistics.
  void begin();
  /// Prints the summary. Call it after the run, when no thread counts any more.
  void end();

  /// The text printed by `end`, after a run of this length.
  std::string summary(nanoseconds took) const;
  /// The text printed every ten seconds. `took`: time since the start. `now`: the PEs' clock, if it is real
  /// time.
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

  std::mutex lock_;  // guards ending_
  bool ending_ = false;
  std::condition_variable end_;
  std::thread teller_;
};

}  // namespace imbrex::detail
