// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/pe_balancer.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include <imbrex/balance/driver/coordinator.hpp>

namespace imbrex::balance::detail {

namespace {

/// Items that each element runs in a period at least, where elements pass no balance points: enough for some
/// steps of a program.
constexpr std::uint64_t items_an_element = 32;

/// An element is expected to pass balance points until it has passed none for so many periods.
constexpr std::uint8_t periods_without_points = 4;

}  // namespace

pe_balancer::pe_balancer(imbrex::detail::scheduler& pe, std::unique_ptr<record_writer> record)
    : load_meter(pe),
      reported_{.bytes = extension::run_handle(pe).settings().balance.report,
                .measured = !extension::run_handle(pe).settings().balance.record.empty(),
                .sent = wants_sent(extension::run_handle(pe).settings().balance)},
      record_(std::move(record)) {
  const bool wants_edges =
      reported_.measured || strategy_of(extension::run_handle(pe).settings().balance).wants().edges;
  if (wants_edges) sample_edges();
  set_due(0);
}

void pe_balancer::connect(driver& own, std::function<void()> end) {
  driver_ = &own;
  end_ = std::move(end);
  unit_.first_time = extension::current_pe().now();
  unit_.first = began_ = now();
  others_before_ = time_of_nobody();
  own_before_ = balancer_time();
  if (is_due_) end_();
}

void pe_balancer::due() {
  const time moment = now();
  const bool awaits_items = is_timed_ || has_balance_points_left();
  if (driver_ != nullptr && awaits_items && items() - items_before_ < least_items_) {
    // The look at the clock is repeated until enough items have run.
    return set_due(moment + std::max<time>((moment - began_) / 8, 1));
  }
  is_due_ = true;
  if (driver_ != nullptr) end_();
}

/// Finds the seconds in a unit of the meter's time: ticks have no unit.
void pe_balancer::calibrate() {
  switch (time_unit()) {
    case unit::nanoseconds: unit_.seconds = 1e-9; return;
    case unit::items: unit_.seconds = 1e-6; return;  // a microsecond stands for an item
    case unit::ticks: break;
  }
  const auto ticks = static_cast<double>(now() - unit_.first);
  const auto elapsed = static_cast<double>((extension::current_pe().now() - unit_.first_time).count()) * 1e-9;
  if (ticks > 0 && elapsed > 0) unit_.seconds = elapsed / ticks;
}

/// Ends the period of an element. One that passes balance points has a load for each step between two of
/// them, however the period lies to its steps.
void pe_balancer::end_period_of(const extension::measured_element& e, period_report& report) {
  measured_load& its = e.load();
  ++report.elements;
  if (!e.can_leave()) ++report.unmovable;
  its.has_stayed = false;
  const std::uint32_t points = std::exchange(its.balance_points, 0);
  if (points > 0)
    its.point_periods = periods_without_points;
  else if (its.point_periods > 0)
    --its.point_periods;
  if (its.point_periods > 0) ++report.with_points;
  if (points == 0 && its.point_periods > 0) {
    if (its.last < 0) ++report.unmeasured;
    report.busiest += std::max(0.0F, its.last);
    report.busy_devices += its.last_beside;
    return;
  }
  const time ended = points > 0 ? std::exchange(its.at_point, 0) : its.now;
  its.now -= ended;
  end_period_of_sent(its, points);
  const float step_load =
      static_cast<float>(seconds(ended)) / static_cast<float>(std::max<std::uint32_t>(points, 1));
  if (its.before >= 0) {
    report.error_steady += std::abs(step_load - its.last);
    report.error_moving += std::abs(step_load - std::max(0.0F, 2 * its.last - its.before));
  }
  end_period_beside(its, points, report);
  its.before = std::exchange(its.last, step_load);
  report.busiest += its.last;
  report.largest = std::max<double>(report.largest, its.last);
}

/// Ends the period of the messages that an element has sent.
void pe_balancer::end_period_of_sent(measured_load& its, std::uint32_t points) {
  const std::uint64_t ended = points > 0 ? std::exchange(its.sent_at_point, 0) : its.sent;
  its.sent -= ended;
  const float steps = static_cast<float>(std::max<std::uint32_t>(points, 1));
  its.last_bytes = static_cast<float>(extension::measured_element::bytes_in(ended)) / steps;
  its.last_messages = static_cast<float>(extension::measured_element::messages_in(ended)) / steps;
}

/// Ends the period of the work that others have done for an element.
void pe_balancer::end_period_beside(measured_load& its, std::uint32_t points, period_report& report) {
  const float ended = points > 0 ? std::exchange(its.beside_at_point, 0.0F) : its.beside;
  its.beside -= ended;
  const float elapsed = points > 0 ? std::exchange(its.elapsed_beside_at_point, 0.0F) : its.elapsed_beside;
  its.elapsed_beside -= elapsed;
  const float steps = static_cast<float>(std::max<std::uint32_t>(points, 1));
  its.last_elapsed_beside = elapsed / steps;
  const float step_load = ended / steps;
  if (its.before >= 0) {
    report.error_steady += std::abs(step_load - its.last_beside);
    report.error_moving += std::abs(step_load - std::max(0.0F, 2 * its.last_beside - its.before_beside));
  }
  its.before_beside = std::exchange(its.last_beside, step_load);
  report.busy_devices += its.last_beside;
  report.largest_on_device = std::max<double>(report.largest_on_device, its.last_beside);
}

period_report pe_balancer::end_period(const period_rules& next) {
  calibrate();
  period_report report;
  report.own = seconds(balancer_time() - std::exchange(own_before_, balancer_time()));
  const time moment = now();
  report.duration = seconds(moment - std::exchange(began_, moment));
  const time others = time_of_nobody() - std::exchange(others_before_, time_of_nobody());
  report.other = seconds(others + extension::local_loads::here().take_time_of_fixed_elements());
  report.arrivals = arrivals() - std::exchange(arrivals_before_, arrivals());
  report.bytes = std::exchange(bytes_, 0);
  items_before_ = items();
  for (const auto& e : extension::local_loads::here().elements()) end_period_of(e, report);
  if (edges() != nullptr) edges()->age();
  report.fixed = extension::local_loads::here().count_fixed_elements();
  device_ = extension::balanced_device::here();
  if (device_.number >= 0) report.add_device({device_.number, 1, device_.pes, report.busy_devices});
  other_ = static_cast<float>(report.other / static_cast<double>(points_));
  report.busiest += other_;
  report.busy = report.busiest;
  is_due_ = false;
  is_timed_ = next.is_timed;
  // The balancer's own messages end no period, so that they end when the program's do.
  least_items_ = is_timed_ ? 1 : items_an_element * std::max<std::uint64_t>(report.elements, 1);
  awaits_points_ = report.with_points > 0 && !next.is_timed;
  points_ = next.points;
  if (awaits_points_) {
    set_due_after(report.with_points, next.points);
    least_items_ = 0;
  } else {
    // The first period may end before the clock has moved, so that the unit is not known.
    const double units = unit_.seconds > 0 ? next.least_time / unit_.seconds : 0;
    set_due(moment + static_cast<time>(std::min(units, 1e18)));
    // Balance points are found out by the first period in which there are some.
    if (!next.is_timed) set_due_after(std::max<std::uint64_t>(report.elements, 1), 1);
  }
  return report;
}

/// The load that a class expects, or 0 if it is none.
double pe_balancer::checked_load(const extension::measured_element& e, double load, pe_loads& all) {
  if (std::isfinite(load) && load >= 0) return load;
  if (all.complaint.empty())
    all.complaint = "the expected_load of " + e.name() + " is " + std::to_string(load) +
                    ", and is taken as 0: a load is finite and not negative";
  return 0;
}

void pe_balancer::known_device_bytes::begin_report() {
  if (++reports_ < most_reports) return;
  by_array_.clear();
  reports_ = 0;
}

std::uint64_t pe_balancer::known_device_bytes::of(const extension::measured_element& e) {
  const auto [at, is_new] = by_array_[e.array()].try_emplace(e.key());
  if (is_new) at->second = e.device_bytes();
  return at->second;
}

pe_loads pe_balancer::loads(bool extrapolates) {
  device_bytes_.begin_report();
  pe_loads all;
  all.pe = extension::current_pe().number();
  all.other = other_;
  all.device = device_.number;
  all.free_memory = device_.free_memory;
  for (const auto& e : extension::local_loads::here().elements()) {
    if (all.arrays.empty() || all.arrays.back().array != e.array())
      all.arrays.emplace_back().array = e.array();
    array_loads& its = all.arrays.back();
    const measured_load& load = e.load();
    its.keys.push_back(e.key());
    if (const auto expected = e.expected_load())
      its.loads.push_back(static_cast<float>(checked_load(e, *expected, all)));
    else if (extrapolates && load.before >= 0)
      its.loads.push_back(std::max(0.0F, 2 * load.last - load.before));
    else
      its.loads.push_back(std::max(0.0F, load.last));
    its.movable.push_back(e.can_leave() ? 1 : 0);
    if (device_.number >= 0) {
      const float change = extrapolates && load.before >= 0 ? load.last_beside - load.before_beside : 0;
      its.device_loads.push_back(std::max(0.0F, load.last_beside + change));
      its.device_elapsed.push_back(load.last_elapsed_beside);
      its.device_bytes.push_back(device_bytes_.of(e));
    }
    if (reported_.measured) its.measured.push_back(std::max(0.0F, load.last));
    if (reported_.sent) its.sent.push_back({load.last_bytes, load.last_messages});
  }
  if (edges() != nullptr)
    edges()->for_each([&](const extension::sent_edge& e, float bytes) {
      all.edges.push_back({e.array, e.key, e.to_array, e.to_key, bytes});
    });
  return all;
}

void pe_balancer::move(const array_moves& moves) {
  const int here = extension::current_pe().number();
  std::unordered_map<std::uint64_t, int> to;
  for (std::size_t i = 0; i < moves.keys.size(); ++i)
    if (moves.from[i] == here) to.emplace(moves.keys[i], moves.to[i]);
  if (to.empty()) return;
  for (const auto& e : extension::local_loads::here().elements()) {
    if (e.array() != moves.array) continue;
    const auto found = to.find(e.key());
    if (found == to.end()) continue;
    if (reported_.bytes) bytes_ += e.bytes();
    e.move(found->second);
  }
}

}  // namespace imbrex::balance::detail
