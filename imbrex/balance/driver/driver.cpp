// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/driver.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/balance/driver/coordinator.hpp>
#include <imbrex/balance/driver/pe_balancer.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::balance::detail {

namespace {

/// The time for an element that the solution of a problem is charged with, in simulated time: what
/// `segments` and the curve take on a processor of today.
constexpr nanoseconds solution_an_element{31};

/// Messages of the balancer come before those of programs: they are few, and what they wait for grows old.
constexpr int urgent = -32;

/// The number of a PE among the children of its parent.
int number_as_child(const extension::current_pe& pe, const extension::tree_place& tree) {
  if (tree.parent < 0) return 0;
  return static_cast<int>(pe.place_in_tree(0, tree.parent).position_of(pe.number()));
}

/// The node of each PE.
std::vector<int> nodes_of_pes(const extension::current_pe& pe) {
  const auto starts = pe.run().host_starts();
  std::vector<int> nodes(static_cast<std::size_t>(pe.count()), 0);
  int node = -1;
  for (int p = 0; p < pe.count(); ++p) {
    while (static_cast<std::size_t>(node + 1) < starts.size() &&
           starts[static_cast<std::size_t>(node + 1)] <= p)
      ++node;
    nodes[static_cast<std::size_t>(p)] = std::max(node, 0);
  }
  return nodes;
}

/// The groups of a run that is balanced in two levels. A record needs all loads on PE 0, and elements that
/// move together stop all PEs anyway.
pe_groups groups_of_run(const extension::current_pe& pe) {
  const balance_settings& settings = pe.run().settings().balance;
  const bool is_whole = !settings.record.empty() || settings.together;
  const bool is_solved_at_once =
      strategy_of(settings).wants().most_at_once == std::numeric_limits<std::size_t>::max();
  if (pe.count() < pes_of_two_levels || is_whole || is_solved_at_once) return {};
  return groups_of(pe.count(), nodes_of_pes(pe));
}

/// True if the PE is the first of its group.
bool leads_group(const pe_groups& groups, int pe) {
  return !groups.empty() && groups.first[static_cast<std::size_t>(groups.of(pe))] == pe;
}

int coordinates_of(std::uint64_t array, std::uint64_t key, float* out) {
  return extension::local_loads::here().write_coordinates(array, key, out);
}

void write(const std::string& lines) { std::fputs(lines.c_str(), stderr); }

}  // namespace

driver::driver()
    : pe_(*pe_balancer::here()),
      tree_(extension::current_pe().place_in_tree(0, pe())),
      groups_(groups_of_run(extension::current_pe())),
      group_tree_(groups_.empty() ? extension::tree_place()
                                  : extension::current_pe().place_in_tree(0, pe(), groups_.first)),
      writes_lines_(extension::current_pe().run().settings().balance.report),
      number_as_child_(number_as_child(extension::current_pe(), tree_)),
      children_(tree_.children.size()),
      began_(now()) {
  const extension::current_pe here;
  const options& settings = here.run().settings();
  if (is_root())
    coordinator_ = std::make_unique<coordinator>(settings, nodes_of_pes(here), groups_, pe_.take_record());
  if (leads_group(groups_, pe()))
    group_ = std::make_unique<group_part>(
        group_leader(settings, groups_, groups_.of(pe()), nodes_of_pes(here), coordinates_of),
        static_cast<int>(children_in_group(false).size()) + 1, step_totals{});
  rules_ = rules_of(settings);
  pe_.leave_out(extension::header_of(*this));
  extension::stop_here().leave_out(extension::header_of(*this));
  pe_.connect(*this, [this] { end_period(); });
}

driver::~driver() {
  if (!coordinator_ || !writes_lines_) return;
  write(coordinator_->take_lines(true));
  write(coordinator_->summary());
}

bool driver::moves_together() const { return extension::current_pe().run().settings().balance.together; }

element<driver> driver::on(int pe) const { return peers()[pe].with_priority(urgent); }

void driver::end_period() {
  const period_report own = pe_.end_period(rules_);
  std::vector<pe_loads> loads;
  if (rules_.sends_loads && !rules_.in_groups) loads.push_back(pe_.loads(rules_.extrapolates));
  const std::uint64_t ended = period_++;
  add(ended, own, std::move(loads), !pe_.awaits_points());
  note_end(ended);
}

void driver::take_report(int child, std::uint64_t period, const period_report& report,
                         std::vector<pe_loads> loads, bool needs_request) {
  auto& from = children_[static_cast<std::size_t>(child)];
  from.next_period = period + 1;
  from.needs_request = needs_request;
  add(period, report, std::move(loads), needs_request);
  note_end(period);
}

void driver::add(std::uint64_t period, const period_report& report, std::vector<pe_loads> loads,
                 bool needs_request) {
  const auto [at, is_new] = reports_.try_emplace(period);
  collected& all = at->second;
  if (is_new) all.missing = tree_.reporters();
  all.report.add(report);
  all.loads.insert(all.loads.end(), std::make_move_iterator(loads.begin()),
                   std::make_move_iterator(loads.end()));
  all.needs_request = all.needs_request || needs_request;
  --all.missing;
}

/// Brings this PE and those below it to the end of a period that has ended on one of them.
void driver::note_end(std::uint64_t period) {
  while (period_ < period || (period_ == period && !pe_.awaits_points())) end_period();
  if (period > 0) request_ends(period - 1, true);
  request_ends(period, false);
  complete(period);
}

void driver::request_ends(std::uint64_t period, bool at_once) {
  for (std::size_t i = 0; i < children_.size(); ++i) {
    child& c = children_[i];
    if (c.next_period > period || (!at_once && (!c.needs_request || c.requested_until > period))) continue;
    if (at_once && c.ended_at_once_until > period) continue;
    c.requested_until = std::max(c.requested_until, period + 1);
    if (at_once) c.ended_at_once_until = period + 1;
    send<&driver::request_end>(on(tree_.children[i]), period, at_once);
  }
}

void driver::request_end(std::uint64_t period, bool at_once) {
  while (period_ < period || (period_ == period && (at_once || !pe_.awaits_points()))) end_period();
  request_ends(period, at_once);
}

/// Passes the reports of a period on if all are there.
void driver::complete(std::uint64_t period) {
  const auto at = reports_.find(period);
  if (at == reports_.end() || at->second.missing > 0) return;
  collected all = std::move(at->second);
  reports_.erase(at);
  if (is_root()) return decide(std::move(all));
  send<&driver::take_report>(on(tree_.parent), number_as_child_, period, all.report, std::move(all.loads),
                             all.needs_request);
}

void driver::decide(collected all) {
  const action next = coordinator_->judge(all.report, all.loads);
  if (writes_lines_) write(coordinator_->take_lines(false));
  if (is_stepping_) return;
  if (!requests_.empty() || next == action::act) return begin_step(std::move(all.loads));
  coordinator_->pose_for_record(all.loads, coordinates_of);
  if (next == action::take_back) {
    if (moves_together()) return begin_step_together(next);
    if (coordinator_->was_in_groups()) {
      is_stepping_ = true;
      step_began_ = now();
      return take_plan(coordinator_->plan_back());
    }
    return send_moves(next, coordinator_->moves_back());
  }
  if (coordinator_->rules() != rules_) send_rules({});
  coordinator_->record(next, {});
}

void driver::begin_step(std::vector<pe_loads> loads) {
  if (moves_together()) return begin_step_together(action::act);
  is_stepping_ = true;
  step_began_ = now();
  const bool is_complete = loads.size() == static_cast<std::size_t>(num_pes());
  is_complete ? solve(std::move(loads)) : request_loads();
}

void driver::begin_step_together(action taken) {
  is_stepping_ = true;
  send<&driver::step_together>(on(0), taken);
}

task<> driver::step_together(action taken) {
  if (!together_) together_.emplace();
  co_await together_->begin();
  is_standing_ = true;
  step_began_ = now();
  taken == action::act ? request_loads() : send_moves(taken, coordinator_->moves_back());
}

void driver::request_loads() {
  load_request next{.extrapolates = coordinator_->rules().extrapolates,
                    .in_groups = coordinator_->rules().in_groups};
  if (!requests_.empty()) next.only = requests_.front().array;
  send<&driver::send_loads>(peers().with_priority(urgent), next);
}

void driver::send_loads(const load_request& request) {
  requested_.request = request;
  requested_.missing += (request.in_groups ? group_tree_ : tree_).reporters();
  gathered_loads own;
  own.pes.push_back(pe_.loads(request.extrapolates));
  take_loads(std::move(own));
}

void driver::take_loads(gathered_loads loads) {
  requested_.loads.add(std::move(loads));
  if (--requested_.missing != 0) return;
  gathered_loads all = std::exchange(requested_.loads, {});
  const bool in_groups = requested_.request.in_groups;
  if (in_groups && group_) group_->leader.summarize(all, requested_.request);
  const int parent = in_groups ? group_tree_.parent : tree_.parent;
  if (!is_root()) return send<&driver::take_loads>(on(parent), std::move(all));
  in_groups ? solve_between_groups(all.groups) : solve(std::move(all.pes));
}

void driver::solve(std::vector<pe_loads> loads) {
  const auto only = requests_.empty() ? std::nullopt : std::optional(requests_.front().array);
  const auto moves = coordinator_->solve(std::move(loads), coordinates_of, only);
  spend(solution_an_element * static_cast<std::int64_t>(coordinator_->last().elements));
  send_moves(action::act, moves);
}

void driver::solve_between_groups(const std::vector<group_summary>& groups) {
  const step_plan plan = coordinator_->plan(groups);
  std::size_t runs = 0;
  for (const group_summary& each : groups) runs += each.runs.size();
  spend(solution_an_element * static_cast<std::int64_t>(runs));
  take_plan(plan);
}

/// The children in this PE's group, or those that are the first PEs of other groups.
std::vector<int> driver::children_in_group(bool in_group) {
  std::vector<int> found;
  for (const int child : group_tree_.children)
    if ((groups_.of(child) == groups_.of(pe())) == in_group) found.push_back(child);
  return found;
}

void driver::take_plan(const step_plan& plan) {
  for (const int child : children_in_group(false)) send<&driver::take_plan>(on(child), plan);
  for (const auto& [group, objects] : group_->leader.begin(plan))
    send<&driver::take_objects>(on(groups_.first[static_cast<std::size_t>(group)]), objects);
  rules_ = plan.rules;
  solve_in_group();
}

void driver::take_objects(const std::vector<posed_object>& objects) {
  group_->leader.take(objects);
  solve_in_group();
}

/// Solves the problem of the group once all its objects are there. Moves of objects that come from other
/// groups go to their PEs directly.
void driver::solve_in_group() {
  group_leader& leader = group_->leader;
  if (!leader.has_all()) return;
  const std::vector<array_moves> moves = leader.solve();
  spend(solution_an_element * static_cast<std::int64_t>(leader.objects()));
  apply_in_group(rules_, moves);
  for (const int from : leader.other_pes()) send<&driver::apply>(on(from), rules_, moves);
  take_totals(leader.totals());
}

void driver::apply_in_group(const period_rules& rules, const std::vector<array_moves>& moves) {
  for (const int child : children_in_group(true)) send<&driver::apply_in_group>(on(child), rules, moves);
  apply(rules, moves);
}

void driver::take_totals(const step_totals& totals) {
  group_->totals.add(totals);
  if (--group_->totals_missing > 0) return;
  group_->totals_missing = static_cast<int>(children_in_group(false).size()) + 1;
  const step_totals all = std::exchange(group_->totals, {});
  if (!is_root()) return send<&driver::take_totals>(on(group_tree_.parent), all);
  coordinator_->note_totals(all);
  finish_step();
  answer_request();
}

void driver::send_moves(action taken, const std::vector<array_moves>& moves) {
  finish_step();
  send_rules(moves);
  coordinator_->record(taken, moves);
  answer_request();
}

void driver::finish_step() {
  is_stepping_ = false;
  const auto seconds_since = [](nanoseconds moment) {
    return std::chrono::duration<double>(now() - moment).count();
  };
  coordinator_->finish(seconds_since(step_began_), seconds_since(began_));
}

void driver::answer_request() {
  if (requests_.empty()) return;
  requests_.front().result.set_value(coordinator_->last());
  requests_.erase(requests_.begin());
  if (!requests_.empty()) request_end(period_, true);
}

void driver::send_rules(const std::vector<array_moves>& moves) {
  rules_ = coordinator_->rules();
  if (is_standing_) return send<&driver::apply_together>(on(0), moves);
  send<&driver::apply>(peers().with_priority(urgent), rules_, moves);
}

task<> driver::apply_together(std::vector<array_moves> moves) {
  is_standing_ = false;
  co_await peers().with_priority(urgent).call<&driver::apply>(rules_, moves);
  co_await together_->end();
}

void driver::apply(const period_rules& rules, const std::vector<array_moves>& moves) {
  rules_ = rules;
  for (const array_moves& each : moves) pe_.move(each);
}

void driver::balance_now(std::uint64_t array, promise<rebalance_result> result) {
  requests_.push_back({array, result});
  if (requests_.size() == 1) request_end(period_, true);
}

pending<rebalance_result> rebalance(std::uint64_t array) {
  auto [result, awaited] = make_promise<rebalance_result>();
  auto* const here = pe_balancer::here();
  if (here == nullptr || here->own_driver() == nullptr)
    result.set_value(rebalance_result{});
  else
    send<&driver::balance_now>(here->own_driver()->peers()[0], extension::current_pe().number_of(array),
                               result);
  return std::move(awaited);
}

}  // namespace imbrex::balance::detail
