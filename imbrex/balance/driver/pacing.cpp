// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/pacing.hpp>

#include <algorithm>

namespace imbrex::balance::detail {

namespace {

/// The balancer's own time may be this share of a period, on the PE where it takes the longest.
constexpr double most_own_share = 1.0 / 64;

/// A period that has lost so many times the balancer's own time is not too short.
constexpr double least_lost_of_own = 8;

/// A change of the periods' length shows in a later one.
constexpr int periods_of_change = 2;

}  // namespace

pacing::pacing(const options& settings)
    : rules_(rules_of(settings)),
      is_automatic_(settings.balance.every_points == 0 && settings.balance.every_time == nanoseconds(0)),
      is_recorded_(!settings.balance.record.empty()),
      by_(settings.balance.by) {}

period pacing::times_of(const period_report& ended, int pes) const {
  const auto steps = static_cast<double>(rules_.points);
  period times;
  if (by_ != balanced_loads::device)
    times = {steps * ended.busiest, steps * ended.busy / pes, steps * ended.largest};
  if (by_ != balanced_loads::cpu && ended.devices > 0) {
    // A step takes as long as its PEs, and as long as its devices.
    times.busiest = std::max(times.busiest, steps * ended.busiest_device);
    times.average = std::max(times.average, steps * ended.busy_devices / static_cast<double>(ended.devices));
    times.largest = std::max(times.largest, steps * ended.largest_on_device);
  }
  return times;
}

void pacing::add(const period_report& ended) {
  error_steady_ = error_steady_ / 2 + ended.error_steady;
  error_moving_ = error_moving_ / 2 + ended.error_moving;
  rules_.extrapolates = error_moving_ < error_steady_;
}

void pacing::adapt(const period_report& ended, double lost) {
  if (!is_automatic_ || ++periods_since_change_ <= periods_of_change) return;
  const std::uint64_t points = rules_.points;
  if (ended.own > std::max(most_own_share * ended.duration, lost / least_lost_of_own))
    rules_.points *= 2;
  else if (points > 1 && ended.own < most_own_share / 4 * ended.duration)
    rules_.points /= 2;
  if (rules_.points != points) periods_since_change_ = 0;
  // The time grows by factors of two, as each change is a message to all PEs.
  const double least = ended.own / most_own_share;
  if (least > rules_.least_time) rules_.least_time = 2 * least;
}

}  // namespace imbrex::balance::detail
