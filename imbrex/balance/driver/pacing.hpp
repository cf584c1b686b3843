// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/balance/decision.hpp>
#include <imbrex/balance/driver/period_report.hpp>

namespace imbrex::balance::detail {

/// Chooses the length of periods, and whether loads are extrapolated.
class pacing {
 public:
  explicit pacing(const options& settings);

  /// The rules of the periods from now on.
  const period_rules& rules() const { return rules_; }
  /// True for `--balance-every auto`.
  bool is_automatic() const { return is_automatic_; }
  /// Sets whether the loads of elements come with the reports. A record needs them in each period.
  void send_loads(bool with_reports) { rules_.sends_loads = with_reports || is_recorded_; }
  /// Sets whether loads are kept by the first PEs of groups.
  void keep_in_groups(bool are_kept) { rules_.in_groups = are_kept; }
  /// The times of a period on `pes` PEs, for `decision`.
  period times_of(const period_report& ended, int pes) const;
  /// Adds the loads of a period to the forecast.
  void add(const period_report& ended);
  /// Adapts the rules to a period: makes periods longer while the balancer's own time is a large share of
  /// them.
  void adapt(const period_report& ended, double lost);

 private:
  period_rules rules_;
  const bool is_automatic_;
  const bool is_recorded_;  ///< `--balance-record`
  const balanced_loads by_;
  double error_steady_ = 0;
  double error_moving_ = 0;
  int periods_since_change_ = 0;
};

}  // namespace imbrex::balance::detail
