// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/balance/decision.hpp>
#include <imbrex/balance/driver/pacing.hpp>
#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/balance/driver/recorder.hpp>
#include <imbrex/balance/driver/settling.hpp>
#include <imbrex/balance/driver/step_log.hpp>
#include <imbrex/balance/snapshot.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::balance::detail {

/// The coordinates of the element with a key: writes at most six, and returns how many.
using coordinates_function = std::function<int(std::uint64_t array, std::uint64_t key, float* out)>;

/// The strategy of a run. Throws usage_error for an unknown one.
const strategy& strategy_of(const balance_settings& settings);

/// The decisions of a run's balancer, apart from its messages.
class coordinator {
 public:
  /// `nodes`: the node of each PE. `record`: where the run is recorded, or null. Throws usage_error for an
  /// unknown strategy.
  coordinator(const options& settings, std::vector<int> nodes, std::unique_ptr<record_writer> record);

  /// Judges a period that has ended. `loads`: those that came with the reports, of some PEs or of all.
  action judge(const period_report& ended, const std::vector<pe_loads>& loads);
  /// The rules of the periods from now on.
  const period_rules& rules() const { return pacing_.rules(); }
  /// Solves the problem of these loads. With `only`, other arrays stay. Nothing moves if the strategy fails.
  std::vector<array_moves> solve(std::vector<pe_loads> loads, const coordinates_function& coordinates,
                                 std::optional<std::uint64_t> only = std::nullopt);
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
  void pose_coordinates(const coordinates_function& coordinates);
  void pose_edges(const std::vector<pe_loads>& loads);
  void pose_devices(const std::vector<pe_loads>& loads);
  std::vector<array_moves> moves_of(const std::vector<int>& solution);
  void note_cost(const period_report& ended);
  double busiest_otherwise(const std::vector<pe_loads>& loads) const;

  const strategy& strategy_;
  const balanced_loads by_;
  pacing pacing_;
  settling settling_;
  decision decision_;
  step_log log_;
  std::vector<object_name> names_;  ///< names of the problem's objects
  snapshot problem_;
  recorder recorder_;
  std::vector<array_moves> moves_;  ///< the last step's moves
  rebalance_result last_;
  std::string lines_;        ///< for steps that another one has followed
  bool is_settled_ = false;  ///< the last step's elements have arrived, by and large
  bool is_unpaid_ = false;   ///< the cost of the last step is not known yet
  double other_before_ = 0;  ///< `period_report::other` of the period before the last step
  bool has_failed_ = false;
  bool has_complained_ = false;
};

}  // namespace imbrex::balance::detail
