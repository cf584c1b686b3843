// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/coordinator.hpp>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <imbrex/balance/quality.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>

namespace imbrex::balance::detail {

namespace {

/// The loads come with the reports for so many periods after a step.
constexpr std::uint64_t periods_with_loads = 10;

}  // namespace

const strategy& strategy_of(const balance_settings& settings) {
  return find_strategy(settings.strategy.empty() ? "none" : settings.strategy);
}

bool wants_sent(const balance_settings& settings) {
  return !settings.record.empty() || strategy_of(settings).wants().sent;
}

coordinator::coordinator(const options& settings, std::vector<int> nodes, pe_groups groups,
                         std::unique_ptr<record_writer> record)
    : strategy_(strategy_of(settings.balance)),
      by_(settings.balance.by),
      pacing_(settings),
      problem_(settings.balance.by, wants_sent(settings.balance), nodes),
      groups_(std::move(groups)),
      recorder_(std::move(record),
                {.strategy = strategy_.name(), .pes = static_cast<int>(nodes.size()), .node = nodes}) {
  last_.strategy = strategy_.name();
}

/// The load of the busiest PE if the elements of the last step were where they came from; -1 if that is
/// unknown.
double coordinator::busiest_otherwise(const std::vector<pe_loads>& loads) const {
  if (moves_.empty() || loads.size() != static_cast<std::size_t>(problem_.pes())) return -1;
  std::map<std::uint64_t, std::unordered_map<std::uint64_t, int>> origins;
  for (const array_moves& each : moves_)
    for (std::size_t i = 0; i < each.keys.size(); ++i)
      origins[each.array].emplace(each.keys[i], each.from[i]);
  std::vector<double> sums(static_cast<std::size_t>(problem_.pes()));
  std::vector<double> on_devices(sums.size());
  for (const pe_loads& of_pe : loads)
    for (const array_loads& its : of_pe.arrays) {
      const auto moved = origins.find(its.array);
      for (std::size_t i = 0; i < its.keys.size(); ++i) {
        int pe = of_pe.pe;
        if (moved != origins.end())
          if (const auto at = moved->second.find(its.keys[i]); at != moved->second.end()) pe = at->second;
        if (by_ != balanced_loads::device) sums[static_cast<std::size_t>(pe)] += its.loads[i];
        const int device = problem_.get().view().on.device_of(pe);
        if (device >= 0 && !its.device_loads.empty())
          on_devices[static_cast<std::size_t>(device)] += its.device_loads[i];
      }
    }
  return std::max(*std::max_element(sums.begin(), sums.end()),
                  *std::max_element(on_devices.begin(), on_devices.end()));
}

action coordinator::judge(const period_report& ended, const std::vector<pe_loads>& loads) {
  log_.add_period(ended);
  pacing_.keep_in_groups(!groups_.empty() && ended.busy_devices <= 0 &&
                         ended.elements > strategy_.wants().most_at_once);
  note_cost(ended);
  period last = pacing_.times_of(ended, problem_.pes());
  last_.before = last.average > 0 ? last.busiest / last.average : 1;
  is_settled_ = settling_.add(ended);
  pacing_.add(ended);
  if (settling_.periods_since_step() > 1) pacing_.adapt(ended, last.lost());  // a step is no period's cost
  recorder_.end_period(ended, settling_.is_measured());
  pacing_.send_loads(settling_.periods_since_step() < periods_with_loads);
  if (!is_settled_ || ended.unmovable == ended.elements || has_failed_ || strategy_.name() == "none")
    return action::wait;
  const double otherwise = busiest_otherwise(loads);
  if (otherwise >= 0) last.busiest_otherwise = static_cast<double>(rules().points) * otherwise;
  const action next = decision_.next(last);
  return pacing_.is_automatic() ? next : action::act;
}

/// Measures what the last step has cost: the balancer's own time, and the time of items of no element that is
/// more than before the step.
void coordinator::note_cost(const period_report& ended) {
  if (!std::exchange(is_unpaid_, false)) {
    other_before_ = ended.other;
    return;
  }
  const double cost = ended.own + std::max(0.0, ended.other - other_before_);
  decision_.done(cost);
  log_.set_cost(cost);
}

void coordinator::pose(const std::vector<pe_loads>& loads, const coordinates_function& coordinates,
                       std::optional<std::uint64_t> only) {
  const std::vector<posed_object> objects = objects_of(loads, only);
  problem_.pose(objects, loads, coordinates);
  problem_.pose_edges(loads);
  std::vector<float> measured;
  for (const posed_object& each : objects) measured.push_back(each.measured);
  recorder_.set_measured(std::move(measured));
}

void coordinator::complain(const std::string& complaint) {
  if (!complaint.empty() && !std::exchange(has_complained_, true))
    log(log_level::warning, "balance: " + complaint);
}

void coordinator::fail(const std::string& why) {
  if (!std::exchange(has_failed_, true))
    log(log_level::warning, "balance: " + why + "; the run goes on without balancing");
}

std::vector<array_moves> coordinator::solve(std::vector<pe_loads> loads,
                                            const coordinates_function& coordinates,
                                            std::optional<std::uint64_t> only) {
  for (const pe_loads& each : loads) complain(each.complaint);
  pose(loads, coordinates, only);
  problem_.renew_seed();
  was_in_groups_ = false;
  const problem p = problem_.get().view();
  last_.elements = p.size();
  last_.moved = 0;
  last_.unmovable = static_cast<std::uint64_t>(std::count(p.movable.begin(), p.movable.end(), 0));
  last_.before = last_.after = imbalance_of(p, p.pe).pes;
  moves_.clear();
  if (has_failed_) return {};
  try {
    const auto solution = strategy_.solve(p);
    last_.after = imbalance_of(p, solution).pes;
    moves_ = problem_.moves_of(solution);
    last_.moved = count_of(moves_);
  } catch (const std::exception& e) {
    fail(e.what());
  }
  return moves_;
}

step_plan coordinator::plan(const std::vector<group_summary>& groups) {
  problem_.renew_seed();
  was_in_groups_ = true;
  pacing_.send_loads(true);
  last_.elements = last_.unmovable = last_.moved = 0;
  moves_.clear();
  step_plan next{.seed = problem_.get().seed};
  std::vector<std::vector<object_run>> runs(static_cast<std::size_t>(groups_.size()));
  for (const group_summary& each : groups) {
    complain(each.complaint);
    last_.elements += each.elements;
    last_.unmovable += each.unmovable;
    runs[static_cast<std::size_t>(each.group)] = each.runs;
  }
  try {
    const auto solution =
        solve_between_groups([this](const problem& between) { return strategy_.solve(between); }, groups_,
                             runs, problem_.get().view().on, next.seed);
    std::size_t first = 0;
    for (int group = 0; group < groups_.size(); ++group) {
      const std::size_t its = runs[static_cast<std::size_t>(group)].size();
      for (std::size_t run = 0; run < its; ++run)
        if (const int to = solution[first + run]; to != group)
          next.moves.push_back({group, static_cast<std::uint32_t>(run), to});
      first += its;
    }
  } catch (const std::exception& e) {
    fail(e.what());
  }
  next.rules = rules();
  return next;
}

step_plan coordinator::plan_back() {
  pacing_.send_loads(true);
  return {.takes_back = true, .rules = rules()};
}

void coordinator::note_totals(const step_totals& all) {
  if (!all.failure.empty()) fail(all.failure);
  last_.moved = all.moved;
  if (all.all > 0) last_.after = all.busiest * problem_.pes() / all.all;
}

void coordinator::pose_for_record(const std::vector<pe_loads>& loads,
                                  const coordinates_function& coordinates) {
  if (recorder_.is_open()) pose(loads, coordinates, std::nullopt);
}

void coordinator::record(action taken, const std::vector<array_moves>& moves) {
  if (!problem_.names().empty()) recorder_.write(taken, problem_.names(), problem_.get(), moves);
}

std::vector<array_moves> coordinator::moves_back() const { return reversed(moves_); }

void coordinator::finish(double seconds, double moment) {
  lines_ += log_.take_line(decision_.gain());
  last_.seconds = seconds;
  is_unpaid_ = last_.moved > 0;
  if (!is_unpaid_) decision_.found_nothing();
  settling_.begin_step(last_.moved);
  pacing_.send_loads(true);
  log_.add_step(last_, moment);
}

std::string coordinator::take_lines(bool at_end) {
  std::string lines = std::exchange(lines_, {});
  if (is_settled_ || at_end) lines += log_.take_line(decision_.gain());
  return lines;
}

}  // namespace imbrex::balance::detail
