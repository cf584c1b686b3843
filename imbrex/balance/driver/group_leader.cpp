// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/group_leader.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include <imbrex/balance/driver/coordinator.hpp>

namespace imbrex::balance::detail {

void step_totals::add(const step_totals& more) {
  moved += more.moved;
  busiest = std::max(busiest, more.busiest);
  all += more.all;
  if (failure.empty()) failure = more.failure;
}

group_leader::group_leader(const options& settings, const pe_groups& groups, int group,
                           std::vector<int> nodes, coordinates_function coordinates)
    : strategy_(strategy_of(settings.balance)),
      groups_(groups),
      group_(group),
      coordinates_(std::move(coordinates)),
      before_(settings.balance.by, false, nodes),
      after_(settings.balance.by, wants_sent(settings.balance), std::move(nodes)) {}

void group_leader::summarize(gathered_loads& all, const load_request& of) {
  devices_ = std::exchange(all.pes, {});
  objects_ = objects_of(devices_, of.only);
  before_.pose(objects_, devices_, coordinates_);
  object_runs cut = cut_into_runs(before_.get().view(), runs_of_group(static_cast<int>(devices_.size())));
  run_of_ = std::move(cut.run_of);
  group_summary summary{.group = group_};
  summary.runs = std::move(cut.runs);
  summary.elements = objects_.size();
  summary.unmovable = static_cast<std::uint64_t>(
      std::ranges::count_if(objects_, [](const posed_object& one) { return !one.is_movable; }));
  for (pe_loads& of_pe : devices_) {
    if (summary.complaint.empty()) summary.complaint = of_pe.complaint;
    of_pe.arrays.clear();
  }
  all.groups.push_back(std::move(summary));
}

std::map<int, std::vector<posed_object>> group_leader::begin(const step_plan& plan) {
  is_stepping_ = true;
  plan_ = plan;
  std::map<int, std::vector<posed_object>> leaving;
  if (plan.takes_back) return leaving;
  std::map<std::uint32_t, int> to;
  std::set<int> from;
  for (const step_plan::run_move& move : plan.moves) {
    if (move.from == group_) to.emplace(move.run, move.to);
    if (move.to == group_) from.insert(move.from);
  }
  missing_ += static_cast<int>(from.size());
  std::vector<posed_object> staying;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const auto at = to.find(run_of_[i]);
    (at == to.end() ? staying : leaving[at->second]).push_back(objects_[i]);
  }
  objects_ = std::move(staying);
  return leaving;
}

void group_leader::take(const std::vector<posed_object>& objects) {
  --missing_;
  arrived_.insert(arrived_.end(), objects.begin(), objects.end());
}

std::vector<array_moves> group_leader::solve() {
  is_stepping_ = false;
  totals_ = {};
  if (plan_.takes_back)
    moves_ = reversed(std::move(moves_));
  else
    solve_own();
  totals_.moved = count_of(moves_);
  other_pes_.clear();
  for (const array_moves& each : moves_)
    for (const int from : each.from)
      if (!groups_.holds(group_, from)) other_pes_.insert(from);
  return moves_;
}

void group_leader::solve_own() {
  moves_.clear();
  objects_.insert(objects_.end(), arrived_.begin(), arrived_.end());
  arrived_.clear();
  sort_by_name(objects_);
  after_.pose(objects_, devices_, coordinates_);
  after_.set_seed(plan_.seed);
  const problem p = after_.get().view();
  try {
    const std::vector<int> solution =
        solve_within_group([this](const problem& own) { return strategy_.solve(own); }, groups_, group_, p);
    moves_ = after_.moves_of(solution);
    sum_up(solution);
  } catch (const std::exception& e) {
    totals_.failure = e.what();
  }
  objects_.clear();
}

void group_leader::sum_up(const std::vector<int>& solution) {
  std::vector<double> sums(static_cast<std::size_t>(groups_.pes));
  const problem p = after_.get().view();
  for (std::size_t i = 0; i < solution.size(); ++i) {
    sums[static_cast<std::size_t>(solution[i])] += p.load_of(i);
    totals_.all += p.load_of(i);
  }
  totals_.busiest = *std::ranges::max_element(sums);
}

}  // namespace imbrex::balance::detail
