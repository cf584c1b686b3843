// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/driver.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
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

int coordinates_of(std::uint64_t array, std::uint64_t key, float* out) {
  return extension::local_loads::here().write_coordinates(array, key, out);
}

void write(const std::string& lines) { std::fputs(lines.c_str(), stderr); }

}  // namespace

driver::driver()
    : pe_(*pe_balancer::here()),
      tree_(extension::current_pe().place_in_tree(0, extension::current_pe().number())),
      writes_lines_(extension::current_pe().run().settings().balance.report),
      number_as_child_(number_as_child(extension::current_pe(), tree_)),
      children_(tree_.children.size()),
      loads_missing_(tree_.reporters()),
      began_(now()) {
  const extension::current_pe here;
  if (is_root())
    coordinator_ =
        std::make_unique<coordinator>(here.run().settings(), nodes_of_pes(here), pe_.take_record());
  rules_ = rules_of(here.run().settings());
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
  if (rules_.sends_loads) loads.push_back(pe_.loads(rules_.extrapolates));
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
  send<&driver::send_loads>(peers().with_priority(urgent), coordinator_->rules().extrapolates);
}

void driver::send_loads(bool extrapolates) {
  std::vector<pe_loads> own;
  own.push_back(pe_.loads(extrapolates));
  take_loads(std::move(own));
}

void driver::take_loads(std::vector<pe_loads> loads) {
  loads_.insert(loads_.end(), std::make_move_iterator(loads.begin()), std::make_move_iterator(loads.end()));
  if (--loads_missing_ > 0) return;
  loads_missing_ = tree_.reporters();
  auto all = std::exchange(loads_, {});
  if (!is_root()) return send<&driver::take_loads>(on(tree_.parent), std::move(all));
  solve(std::move(all));
}

void driver::solve(std::vector<pe_loads> loads) {
  const auto only = requests_.empty() ? std::nullopt : std::optional(requests_.front().array);
  const auto moves = coordinator_->solve(std::move(loads), coordinates_of, only);
  spend(solution_an_element * static_cast<std::int64_t>(coordinator_->last().elements));
  send_moves(action::act, moves);
}

void driver::send_moves(action taken, const std::vector<array_moves>& moves) {
  is_stepping_ = false;
  const auto seconds_since = [](nanoseconds moment) {
    return std::chrono::duration<double>(now() - moment).count();
  };
  coordinator_->finish(seconds_since(step_began_), seconds_since(began_));
  send_rules(moves);
  coordinator_->record(taken, moves);
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
  together_->end();
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
