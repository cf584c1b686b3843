// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/coordinator.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/edges.hpp>
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

coordinator::coordinator(const options& settings, std::vector<int> nodes,
                         std::unique_ptr<record_writer> record)
    : strategy_(strategy_of(settings.balance)),
      by_(settings.balance.by),
      pacing_(settings),
      recorder_(std::move(record),
                {.strategy = strategy_.name(), .pes = static_cast<int>(nodes.size()), .node = nodes}) {
  problem_.pes = static_cast<int>(nodes.size());
  problem_.node = std::move(nodes);
  last_.strategy = strategy_.name();
}

/// The load of the busiest PE if the elements of the last step were where they came from; -1 if that is
/// unknown.
double coordinator::busiest_otherwise(const std::vector<pe_loads>& loads) const {
  if (moves_.empty() || loads.size() != static_cast<std::size_t>(problem_.pes)) return -1;
  std::map<std::uint64_t, std::unordered_map<std::uint64_t, int>> origins;
  for (const array_moves& each : moves_)
    for (std::size_t i = 0; i < each.keys.size(); ++i)
      origins[each.array].emplace(each.keys[i], each.from[i]);
  std::vector<double> sums(static_cast<std::size_t>(problem_.pes));
  std::vector<double> on_devices(sums.size());
  for (const pe_loads& of_pe : loads)
    for (const array_loads& its : of_pe.arrays) {
      const auto moved = origins.find(its.array);
      for (std::size_t i = 0; i < its.keys.size(); ++i) {
        int pe = of_pe.pe;
        if (moved != origins.end())
          if (const auto at = moved->second.find(its.keys[i]); at != moved->second.end()) pe = at->second;
        if (by_ != balanced_loads::device) sums[static_cast<std::size_t>(pe)] += its.loads[i];
        const int device = problem_.device.empty() ? -1 : problem_.device[static_cast<std::size_t>(pe)];
        if (device >= 0 && !its.device_loads.empty())
          on_devices[static_cast<std::size_t>(device)] += its.device_loads[i];
      }
    }
  return std::max(*std::max_element(sums.begin(), sums.end()),
                  *std::max_element(on_devices.begin(), on_devices.end()));
}

/// Numbers the devices in the order of their first PEs.
void coordinator::pose_devices(const std::vector<pe_loads>& loads) {
  std::map<std::int32_t, int> numbers;
  for (const pe_loads& of_pe : loads)
    if (of_pe.device >= 0) numbers.emplace(of_pe.device, 0);
  int next = 0;
  for (auto& each : numbers) each.second = next++;
  problem_.device.clear();
  problem_.free_memory.clear();
  if (numbers.empty()) return;
  problem_.device.resize(static_cast<std::size_t>(problem_.pes), -1);
  problem_.free_memory.resize(numbers.size(), std::numeric_limits<std::uint64_t>::max());
  for (const pe_loads& of_pe : loads) {
    if (of_pe.device < 0) continue;
    const int number = numbers.at(of_pe.device);
    problem_.device[static_cast<std::size_t>(of_pe.pe)] = number;
    std::uint64_t& free = problem_.free_memory[static_cast<std::size_t>(number)];
    free = std::min(free, of_pe.free_memory);
  }
}

action coordinator::judge(const period_report& ended, const std::vector<pe_loads>& loads) {
  log_.add_period(ended);
  note_cost(ended);
  period last = pacing_.times_of(ended, problem_.pes);
  last_.before = last.average > 0 ? last.busiest / last.average : 1;
  is_settled_ = settling_.add(ended);
  pacing_.add(ended);
  if (settling_.periods_since_step() > 1) pacing_.adapt(ended, last.lost());  // a step is no period's cost
  recorder_.end_period(ended, settling_.is_measured());
  pacing_.send_loads(settling_.periods_since_step() < periods_with_loads);
  if (!is_settled_ || ended.unmovable == ended.elements || has_failed_ || strategy_.name() == "none") return action::wait;
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
  struct object {
    object_name name;
    int pe;
    float load;
    bool is_movable;
    float measured;
    float device_load;
    std::uint64_t device_bytes;
  };
  std::vector<object> objects;
  for (const pe_loads& of_pe : loads)
    for (const array_loads& its : of_pe.arrays)
      for (std::size_t i = 0; i < its.keys.size(); ++i)
        objects.push_back({{its.array, its.keys[i]},
                           of_pe.pe,
                           its.loads[i],
                           its.movable[i] != 0 && (!only || *only == its.array),
                           its.measured.empty() ? 0 : its.measured[i],
                           its.device_loads.empty() ? 0 : its.device_loads[i],
                           its.device_bytes.empty() ? 0 : its.device_bytes[i]});
  std::sort(objects.begin(), objects.end(), [](const object& a, const object& b) { return a.name < b.name; });
  // Periods of PEs end at different moments, so an element that has moved may be on two of them.
  objects.erase(std::unique(objects.begin(), objects.end(),
                            [](const object& a, const object& b) { return a.name == b.name; }),
                objects.end());
  snapshot& p = problem_;
  p.pe.clear();
  p.load.clear();
  p.movable.clear();
  p.device_load.clear();
  p.device_bytes.clear();
  pose_devices(loads);
  std::vector<object_name> names;
  std::vector<float> measured;
  for (const object& each : objects) {
    names.push_back(each.name);
    measured.push_back(each.measured);
    p.pe.push_back(each.pe);
    if (by_ != balanced_loads::device) p.load.push_back(each.load);
    p.movable.push_back(each.is_movable ? 1 : 0);
    if (p.device.empty()) continue;
    p.device_load.push_back(each.device_load);
    p.device_bytes.push_back(each.device_bytes);
  }
  recorder_.set_measured(std::move(measured));
  const bool have_changed = names != names_;
  names_ = std::move(names);
  pose_edges(loads);
  if (have_changed) pose_coordinates(coordinates);  // else the order along the curve stays
}

/// Poses the sampled edges between objects of the problem.
void coordinator::pose_edges(const std::vector<pe_loads>& loads) {
  std::vector<edge> edges;
  std::vector<float> bytes;
  const auto find = [this](const object_name& name) {
    const auto at = std::ranges::lower_bound(names_, name);
    const bool is_found = at != names_.end() && *at == name;
    return static_cast<std::uint32_t>(is_found ? at - names_.begin() : std::ssize(names_));
  };
  for (const pe_loads& of_pe : loads)
    for (const edge_load& each : of_pe.edges) {
      const edge its{find({each.array, each.key}), find({each.to_array, each.to_key})};
      if (its.from == its.to || std::max(its.from, its.to) >= names_.size()) continue;
      edges.push_back(its);
      bytes.push_back(each.bytes);
    }
  set_edges(problem_, edges, bytes);
}

void coordinator::pose_coordinates(const coordinates_function& coordinates) {
  snapshot& p = problem_;
  p.dimensions = 0;
  p.curve.clear();
  p.coordinates.clear();
  std::array<float, problem::most_dimensions> where{};
  for (const object_name& each : names_)
    p.dimensions = std::max(p.dimensions, coordinates(each.array, each.key, where.data()));
  for (const object_name& each : names_) {
    where = {};
    coordinates(each.array, each.key, where.data());
    p.coordinates.insert(p.coordinates.end(), where.begin(), where.begin() + p.dimensions);
  }
  p.curve = curve_order(p.view());
}

std::vector<array_moves> coordinator::moves_of(const std::vector<int>& solution) {
  std::vector<array_moves> moves;
  for (std::size_t i = 0; i < solution.size(); ++i) {
    if (solution[i] == problem_.pe[i]) continue;
    if (moves.empty() || moves.back().array != names_[i].array) moves.emplace_back().array = names_[i].array;
    array_moves& its = moves.back();
    its.keys.push_back(names_[i].key);
    its.from.push_back(problem_.pe[i]);
    its.to.push_back(solution[i]);
    ++last_.moved;
  }
  return moves;
}

std::vector<array_moves> coordinator::solve(std::vector<pe_loads> loads,
                                            const coordinates_function& coordinates,
                                            std::optional<std::uint64_t> only) {
  for (const pe_loads& each : loads)
    if (!each.complaint.empty() && !std::exchange(has_complained_, true))
      log(log_level::warning, "balance: " + each.complaint);
  pose(loads, coordinates, only);
  ++problem_.seed;
  const problem p = problem_.view();
  last_.elements = p.size();
  last_.moved = 0;
  last_.unmovable = static_cast<std::uint64_t>(std::count(p.movable.begin(), p.movable.end(), 0));
  last_.before = last_.after = imbalance_of(p, p.pe).pes;
  moves_.clear();
  if (has_failed_) return {};
  try {
    const auto solution = strategy_.solve(p);
    last_.after = imbalance_of(p, solution).pes;
    moves_ = moves_of(solution);
  } catch (const std::exception& e) {
    has_failed_ = true;
    log(log_level::warning, std::string("balance: ") + e.what() + "; the run goes on without balancing");
  }
  return moves_;
}

void coordinator::pose_for_record(const std::vector<pe_loads>& loads,
                                  const coordinates_function& coordinates) {
  if (recorder_.is_open()) pose(loads, coordinates, std::nullopt);
}

void coordinator::record(action taken, const std::vector<array_moves>& moves) {
  if (!problem_.pe.empty()) recorder_.write(taken, names_, problem_, moves);
}

std::vector<array_moves> coordinator::moves_back() const {
  std::vector<array_moves> back = moves_;
  for (array_moves& each : back) std::swap(each.from, each.to);
  return back;
}

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
