// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/balance/decision.hpp>
#include <imbrex/balance/driver/group_step.hpp>
#include <imbrex/balance/driver/pacing.hpp>
#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/driver/posed_problem.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/balance/driver/recorder.hpp>
#include <imbrex/balance/driver/settling.hpp>
#include <imbrex/balance/driver/step_log.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::balance::detail {

/// The strategy of a run. Throws usage_error for an unknown one.
const strategy& strategy_of(const balance_settings& settings);
/// True if problems have the messages that objects send: the strategy wants them, or the run is recorded.
bool wants_sent(const balance_settings& settings);

/// The decisions of a run's balancer, apart from its messages.
class coordinator {
 public:
  /// `nodes`: the node of each PE. `groups`: those of a run that may be balanced in two levels, or none.
  /// `record`: where the run is recorded, or null. Throws usage_error for an unknown strategy.
  coordinator(const options& settings, std::vector<int> nodes, pe_groups groups,
              std::unique_ptr<record_writer> record);

  /// Judges a period that has ended. `loads`: those that came with the reports, of some PEs or of all.
  action judge(const period_report& ended, const std::vector<pe_loads>& loads);
  /// The rules of the periods from now on.
  const period_rules& rules() const { return pacing_.rules(); }
  /// Solves the problem of these loads. With `only`, other arrays stay. Nothing moves if the strategy fails.
  std::vector<array_moves> solve(std::vector<pe_loads> loads, const coordinates_function& coordinates,
                                 std::optional<std::uint64_t> only = std::nullopt);
  /// Plans a step in two levels, by the runs of all groups.
  step_plan plan(const std::vector<group_summary>& groups);
  /// The plan to take the last step back, which was in two levels.
  step_plan plan_back();
  /// True if the last step was in two levels.
  bool was_in_groups() const { return was_in_groups_; }
  /// Notes the result of a step in two levels. `finish` follows.
  void note_totals(const step_totals& all);
  /// Poses the problem of a period after which nothing is solved, for the record of the run.
  void pose_for_record(const std::vector<pe_loads>& loads, const coordinates_function& coordinates);
  /// Records the period whose problem was posed, if the run is recorded.
  void record(action taken, const std::vector<array_moves>& moves);
  /// The last step's moves back.
  std::vector<array_moves> moves_back() const;
  /// The last step.
  const rebalance_result& last() const { return last_; }
  /// Notes that the moves of a step have been sent, `seconds` after it began and `moment` seconds after the
  /// run began. The next period shows its cost.
  void finish(double seconds, double moment);

  /// Lines for steps that have been judged, or followed by another one (`--balance-report`); empty if there
  /// are none. `at_end`: also for a step whose elements have not arrived.
  std::string take_lines(bool at_end);
  /// A line for the run.
  std::string summary() const { return log_.summary(); }

 private:
  void pose(const std::vector<pe_loads>& loads, const coordinates_function& coordinates,
            std::optional<std::uint64_t> only);
  void complain(const std::string& complaint);
  void fail(const std::string& why);
  void note_cost(const period_report& ended);
  double busiest_otherwise(const std::vector<pe_loads>& loads) const;

  const strategy& strategy_;
  const balanced_loads by_;
  pacing pacing_;
  settling settling_;
  decision decision_;
  step_log log_;
  posed_problem problem_;
  const pe_groups groups_;
  recorder recorder_;
  std::vector<array_moves> moves_;  ///< the last step's moves
  rebalance_result last_;
  std::string lines_;        ///< for steps that another one has followed
  bool is_settled_ = false;  ///< the last step's elements have arrived, by and large
  bool is_unpaid_ = false;   ///< the cost of the last step is not known yet
  double other_before_ = 0;  ///< `period_report::other` of the period before the last step
  bool was_in_groups_ = false;
  bool has_failed_ = false;
  bool has_complained_ = false;
};

}  // namespace imbrex::balance::detail
