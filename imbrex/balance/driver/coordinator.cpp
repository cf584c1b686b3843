// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/coordinator.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/quality.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>

namespace imbrex::balance::detail {

namespace {

/// The balancer's own time may be this share of a period, on the PE where it takes the longest.
constexpr double most_own_share = 1.0 / 64;

/// A period that has lost so many times the balancer's own time is not too short.
constexpr double least_lost_of_own = 8;

/// A change of the periods' length shows in a later one.
constexpr int periods_of_change = 2;

/// The loads come with the reports for so many periods after a step.
constexpr std::uint64_t periods_with_loads = 10;

/// A step is judged when this share of its elements have arrived, or after so many periods.
constexpr double settled_share = 0.8;
constexpr std::uint64_t most_periods_unsettled = 6;
/// The first step waits until no more elements than this share have no load yet, or have not shown whether
/// they pass balance points; but not for more periods than this.
constexpr double most_unmeasured = 0.02;
constexpr int most_periods_unmeasured = 20;

template <class... Number>
std::string formatted(const char* format, Number... numbers) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, numbers...);
  return text.data();
}

/// "1.9 ms"
std::string time_text(double seconds) {
  if (std::abs(seconds) < 1e-3) return formatted("%.3g us", seconds * 1e6);
  if (std::abs(seconds) < 1) return formatted("%.3g ms", seconds * 1e3);
  return formatted("%.3g s", seconds);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return formatted("%.3g kB", bytes / 1e3);
  return bytes < 1e9 ? formatted("%.3g MB", bytes / 1e6) : formatted("%.3g GB", bytes / 1e9);
}

const strategy& strategy_of(const options& settings) {
  return find_strategy(settings.balance.empty() ? "none" : settings.balance);
}

}  // namespace

coordinator::coordinator(const options& settings, std::vector<int> nodes)
    : settings_(settings),
      strategy_(strategy_of(settings)),
      rules_(rules_of(settings)),
      is_automatic_(settings.balance_every.points == 0 && settings.balance_every.time == nanoseconds(0)) {
  problem_.pes = static_cast<int>(nodes.size());
  problem_.node = std::move(nodes);
  last_.strategy = strategy_.name();
}

/// The times of a period in the terms of `decision`.
period coordinator::period_of(const period_report& ended) const {
  const auto steps = static_cast<double>(rules_.points);
  return {steps * ended.busiest, steps * ended.busy / problem_.pes, steps * ended.largest};
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
  for (const pe_loads& of_pe : loads)
    for (const array_loads& its : of_pe.arrays) {
      const auto moved = origins.find(its.array);
      for (std::size_t i = 0; i < its.keys.size(); ++i) {
        int pe = of_pe.pe;
        if (moved != origins.end())
          if (const auto at = moved->second.find(its.keys[i]); at != moved->second.end()) pe = at->second;
        sums[static_cast<std::size_t>(pe)] += its.loads[i];
      }
    }
  return *std::max_element(sums.begin(), sums.end());
}

/// Makes periods longer while the balancer's own time is a large share of them.
void coordinator::adapt(const period_report& ended) {
  rules_.extrapolates = error_moving_ < error_steady_;
  rules_.sends_loads = periods_since_step_ < periods_with_loads;
  if (!is_automatic_) return;
  if (++periods_since_change_ <= periods_of_change) return;
  const std::uint64_t points = rules_.points;
  const double lost = period_of(ended).lost();
  if (ended.own > std::max(most_own_share * ended.duration, lost / least_lost_of_own))
    rules_.points *= 2;
  else if (points > 1 && ended.own < most_own_share / 4 * ended.duration)
    rules_.points /= 2;
  if (rules_.points != points) periods_since_change_ = 0;
  // The time changes by factors of two, as each change is a message to all PEs.
  const double least = ended.own / most_own_share;
  if (least > rules_.least_time) rules_.least_time = 2 * least;
}

/// False while elements are under way because of the last step, for some periods at most.
bool coordinator::is_settled(const period_report& ended) {
  arrivals_ += ended.arrivals;
  const auto moved = static_cast<double>(last_.moved);
  const auto elements = static_cast<double>(ended.elements);
  const double with_points = static_cast<double>(ended.with_points) / std::max(elements, 1.0);
  const bool is_measured = static_cast<double>(ended.unmeasured) <= most_unmeasured * elements &&
                           (with_points <= most_unmeasured || with_points >= 1 - most_unmeasured);
  if (!is_measured && ++periods_unmeasured_ <= most_periods_unmeasured) return false;
  return static_cast<double>(arrivals_) >= settled_share * moved ||
         periods_since_step_ > most_periods_unsettled;
}

action coordinator::judge(const period_report& ended, const std::vector<pe_loads>& loads) {
  ++periods_;
  ++periods_since_step_;
  time_ += ended.duration;
  error_steady_ = error_steady_ / 2 + ended.error_steady;
  error_moving_ = error_moving_ / 2 + ended.error_moving;
  bytes_ += ended.bytes;
  if (std::exchange(is_unpaid_, false)) {
    cost_ = ended.own + std::max(0.0, ended.other - other_before_);
    decision_.done(cost_);
  } else {
    other_before_ = ended.other;
  }
  adapt(ended);
  const double average = ended.busy / problem_.pes;
  last_.before = average > 0 ? ended.busiest / average : 1;
  if (!is_settled(ended)) return action::wait;
  if (ended.elements == 0 || has_failed_ || strategy_.name() == "none") return action::wait;
  period last = period_of(ended);
  const double otherwise = busiest_otherwise(loads);
  if (otherwise >= 0) last.busiest_otherwise = static_cast<double>(rules_.points) * otherwise;
  const action next = decision_.next(last);
  return is_automatic_ ? next : action::act;
}

void coordinator::pose(std::vector<pe_loads>& loads, const coordinates_function& coordinates,
                       std::optional<std::uint64_t> only) {
  struct object {
    place at;
    int pe;
    float load;
    bool is_movable;
  };
  std::vector<object> objects;
  for (const pe_loads& of_pe : loads)
    for (const array_loads& its : of_pe.arrays)
      for (std::size_t i = 0; i < its.keys.size(); ++i)
        objects.push_back({{its.array, its.keys[i]},
                           of_pe.pe,
                           its.loads[i],
                           its.movable[i] != 0 && (!only || *only == its.array)});
  std::sort(objects.begin(), objects.end(), [](const object& a, const object& b) {
    return std::pair(a.at.array, a.at.key) < std::pair(b.at.array, b.at.key);
  });
  snapshot& p = problem_;
  p.pe.clear();
  p.load.clear();
  p.movable.clear();
  std::vector<place> places;
  for (const object& each : objects) {
    places.push_back(each.at);
    p.pe.push_back(each.pe);
    p.load.push_back(each.load);
    p.movable.push_back(each.is_movable ? 1 : 0);
  }
  ++p.seed;
  if (places == places_) return;  // the order along the curve stays
  places_ = std::move(places);
  p.dimensions = 0;
  p.curve.clear();
  p.coordinates.clear();
  std::array<float, problem::most_dimensions> where{};
  for (const place& each : places_)
    p.dimensions = std::max(p.dimensions, coordinates(each.array, each.key, where.data()));
  for (const place& each : places_) {
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
    if (moves.empty() || moves.back().array != places_[i].array)
      moves.emplace_back().array = places_[i].array;
    array_moves& its = moves.back();
    its.keys.push_back(places_[i].key);
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
  const problem p = problem_.view();
  last_.elements = p.size();
  last_.moved = 0;
  last_.unmovable = static_cast<std::uint64_t>(std::count(p.movable.begin(), p.movable.end(), 0));
  passed_over_ = std::max(passed_over_, last_.unmovable);
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

std::vector<array_moves> coordinator::moves_back() const {
  std::vector<array_moves> back = moves_;
  for (array_moves& each : back) std::swap(each.from, each.to);
  return back;
}

void coordinator::finish(double seconds) {
  last_.seconds = seconds;
  is_unpaid_ = true;
  arrivals_ = 0;
  periods_since_step_ = 0;
  rules_.sends_loads = true;
  ++steps_;
  moved_ += last_.moved;
  is_unreported_ = true;
  bytes_ = 0;
}

std::string coordinator::take_line() {
  if (!std::exchange(is_unreported_, false)) return {};
  const double share =
      last_.elements > 0 ? 100.0 * static_cast<double>(last_.moved) / static_cast<double>(last_.elements) : 0;
  std::string line = formatted("balance: step %llu, ", static_cast<unsigned long long>(steps_)) +
                     time_text(time_) + ": " + strategy_.name() +
                     formatted(", max/avg %.2f -> %.2f, %.1f %% of %llu moved", last_.before, last_.after,
                               share, static_cast<unsigned long long>(last_.elements)) +
                     " (" + bytes_text(static_cast<double>(bytes_)) + "), " + time_text(cost_);
  if (last_.unmovable > 0)
    line += formatted(", %llu could not move", static_cast<unsigned long long>(last_.unmovable));
  return line + ", gains " + time_text(decision_.gain()) + " a period";
}

std::string coordinator::summary() const {
  std::string line =
      formatted("balance: %llu steps in %llu periods, %llu moves", static_cast<unsigned long long>(steps_),
                static_cast<unsigned long long>(periods_), static_cast<unsigned long long>(moved_));
  if (passed_over_ > 0)
    line += formatted(", up to %llu elements could not move", static_cast<unsigned long long>(passed_over_));
  return line;
}

}  // namespace imbrex::balance::detail
