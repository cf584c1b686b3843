// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <imbrex/balance/driver/group_step.hpp>
#include <imbrex/balance/driver/posed_problem.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/balance/two_levels.hpp>

namespace imbrex::balance::detail {

/// The part of the balancer on the first PE of a group of PEs, where a run is balanced in two levels. It
/// keeps the loads of the group and cuts the objects into runs. When PE 0 has planned a step, it hands
/// objects over to other groups, and solves the problem of its own with what others hand over. It sends no
/// messages itself.
class group_leader {
 public:
  group_leader(const options& settings, const pe_groups& groups, int group, std::vector<int> nodes,
               coordinates_function coordinates);

  /// Replaces the loads of the group's PEs by a summary, and keeps them for the step that follows.
  void summarize(gathered_loads& all, const load_request& of);

  /// Begins a step. Returns the objects that go to other groups.
  std::map<int, std::vector<posed_object>> begin(const step_plan& plan);
  /// Adds objects of another group, which may arrive before the step begins here.
  void take(const std::vector<posed_object>& objects);
  /// True once the step has begun, and all objects have arrived.
  bool has_all() const { return is_stepping_ && missing_ == 0; }
  /// Solves the problem of the group, or reverses the last solution; ends the step. Returns the moves.
  std::vector<array_moves> solve();
  /// PEs of other groups with elements that the last solution moves.
  const std::set<int>& other_pes() const { return other_pes_; }
  /// The number of objects in the last solution.
  std::size_t objects() const { return after_.names().size(); }
  /// The result of the last step.
  const step_totals& totals() const { return totals_; }

 private:
  void solve_own();
  void sum_up(const std::vector<int>& solution);

  const strategy& strategy_;
  const pe_groups groups_;
  const int group_;
  const coordinates_function coordinates_;
  posed_problem before_;               ///< the group's objects
  posed_problem after_;                ///< the objects that it has in the last step
  std::vector<std::uint32_t> run_of_;  ///< the run of each object of `objects_`, before the step begins

  bool is_stepping_ = false;
  int missing_ = 0;  ///< groups whose objects have not arrived, less those that came before the step began
  step_plan plan_;
  std::vector<posed_object> objects_;
  std::vector<posed_object> arrived_;  ///< from other groups
  std::vector<pe_loads> devices_;      ///< the PEs of the group, without elements
  std::vector<array_moves> moves_;     ///< the last ones
  std::set<int> other_pes_;
  step_totals totals_;
};

}  // namespace imbrex::balance::detail
