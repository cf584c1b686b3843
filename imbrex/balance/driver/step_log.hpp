// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/driver/rebalance.hpp>

namespace imbrex::balance::detail {

/// The lines of `--balance-report`.
class step_log {
 public:
  void add_period(const period_report& ended);
  /// `moment`: seconds since the run began.
  void add_step(const rebalance_result& step, double moment);
  /// Sets the cost of the last step, in seconds.
  void set_cost(double seconds) { cost_ = seconds; }

  /// A line for the last step, with a line feed; empty if it has been taken. `gain`: seconds a period.
  std::string take_line(double gain);
  /// A line for the run.
  std::string summary() const;

 private:
  std::uint64_t periods_ = 0, steps_ = 0, moves_ = 0;
  std::uint64_t unmovable_ = 0;  ///< most of a step
  std::uint64_t fixed_ = 0;      ///< most elements of a period whose classes cannot migrate
  std::uint64_t bytes_ = 0;      ///< since the last step
  double moment_ = 0;            ///< end of the last step
  double cost_ = 0;
  rebalance_result last_;
  bool is_taken_ = true;
};

}  // namespace imbrex::balance::detail
