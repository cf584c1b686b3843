// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/balance/decision.hpp>
#include <imbrex/balance/driver/group_leader.hpp>
#include <imbrex/balance/driver/group_step.hpp>
#include <imbrex/balance/driver/period_report.hpp>
#include <imbrex/balance/driver/rebalance.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/rendezvous.hpp>
#include <imbrex/core/pe/promise.hpp>

namespace imbrex::balance::detail {

class coordinator;
class pe_balancer;

/// The balancer of a run: a group, whose chare on PE 0 decides.
///
/// Each PE ends its periods itself, and reports its times up the tree of PEs. A PE whose elements pass
/// balance points ends a period after some of them. A PE without such elements ends it by the clock, or with
/// the first PE near it in the tree. If a PE ends a period while another PE is still in the one before, the
/// other PE is told to end that at once. PE 0 decides when all have reported. If it acts, it sends the moves
/// to all PEs. The loads of elements come with the reports while the balancer acts often; otherwise PE 0
/// requests them.
///
/// Many elements on many PEs are balanced in two levels (`two_levels.hpp`). PE 0 then requests the loads for
/// each step, along a tree that joins the first PEs of groups, and the PEs of each group. The first PE of a
/// group keeps the loads of its PEs, and passes on what PE 0 needs to plan the step. The plan goes to the
/// first PEs, which exchange objects and send the moves.
///
/// The driver only acts when items of the program have run, so that it keeps no run from becoming quiet.
class driver : public chare<driver> {
 public:
  driver();
  ~driver();

  /// Ends the period of this PE.
  void end_period();

  // Entries.

  /// The report of the subtree of child number `child`.
  void take_report(int child, std::uint64_t period, const period_report& report, std::vector<pe_loads> loads,
                   bool needs_request);
  /// Requests the end of a period. `at_once`: also where balance points are awaited.
  void request_end(std::uint64_t period, bool at_once);
  /// On PE 0: takes a step when all elements stand (`--balance-together`).
  task<> step_together(action taken);
  void send_loads(const load_request& request);
  void take_loads(gathered_loads loads);
  void apply(const period_rules& rules, const std::vector<array_moves>& moves);
  /// As `apply`, for this PE and those below it in its group.
  void apply_in_group(const period_rules& rules, const std::vector<array_moves>& moves);
  // On the first PE of a group.
  void take_plan(const step_plan& plan);
  /// Objects that another group hands over.
  void take_objects(const std::vector<posed_object>& objects);
  /// The results of the groups below this one.
  void take_totals(const step_totals& totals);
  /// On PE 0: requests the moves of elements that have met, and lets them go on.
  task<> apply_together(std::vector<array_moves> moves);
  /// On PE 0: balances the array once, now.
  void balance_now(std::uint64_t array, promise<rebalance_result> result);

 private:
  /// The reports of a period that have arrived.
  struct collected {
    int missing = 0;
    period_report report;
    std::vector<pe_loads> loads;
    bool needs_request = false;  ///< a PE of the subtree does not end its next period by itself
  };
  struct child {
    std::uint64_t next_period = 0;      ///< the first one that it has not reported
    std::uint64_t requested_until = 0;  ///< the end of periods below this number was requested
    std::uint64_t ended_at_once_until = 0;
    bool needs_request = true;
  };
  /// The loads of this subtree that PE 0 has requested.
  struct requested_loads {
    load_request request;
    int missing = 0;  ///< below 0 if some have come before the request
    gathered_loads loads;
  };
  /// On the first PE of a group, with the result of a step in this group and those below it.
  struct group_part {
    group_leader leader;
    int totals_missing;
    step_totals totals;
  };
  /// A call of `rebalance`.
  struct request {
    std::uint64_t array;
    promise<rebalance_result> result;
  };

  bool moves_together() const;
  bool is_root() const { return tree_.parent < 0; }
  element<driver> on(int pe) const;
  void add(std::uint64_t period, const period_report& report, std::vector<pe_loads> loads,
           bool needs_request);
  void note_end(std::uint64_t period);
  void request_ends(std::uint64_t period, bool at_once);
  void complete(std::uint64_t period);
  // On the first PE of a group.
  std::vector<int> children_in_group(bool in_group);
  void solve_in_group();
  // On PE 0.
  void decide(collected all);
  void begin_step(std::vector<pe_loads> loads);
  void begin_step_together(action taken);
  void request_loads();
  void solve(std::vector<pe_loads> loads);
  void solve_between_groups(const std::vector<group_summary>& groups);
  void finish_step();
  void answer_request();
  void send_moves(action taken, const std::vector<array_moves>& moves);
  void send_rules(const std::vector<array_moves>& moves);

  pe_balancer& pe_;
  const extension::tree_place tree_;
  const pe_groups groups_;  ///< empty if the run is never balanced in two levels
  const extension::tree_place group_tree_;
  const bool writes_lines_;  ///< `--balance-report`
  const int number_as_child_;
  std::uint64_t period_ = 0;  ///< number of the current period
  period_rules rules_;
  std::map<std::uint64_t, collected> reports_;  ///< by period
  std::vector<child> children_;
  requested_loads requested_;
  std::unique_ptr<group_part> group_;  ///< null on PEs that are not the first of a group

  // On PE 0.
  std::unique_ptr<coordinator> coordinator_;
  std::optional<extension::rendezvous> together_;  ///< `--balance-together`; made for the first step
  bool is_stepping_ = false;                       ///< loads have been requested
  bool is_standing_ = false;                       ///< the elements have met for this step
  std::vector<request> requests_;
  const nanoseconds began_;
  nanoseconds step_began_{0};
};

}  // namespace imbrex::balance::detail
