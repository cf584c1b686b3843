// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/settling.hpp>

#include <algorithm>

namespace imbrex::balance::detail {

namespace {

/// A step is judged when this share of its elements have arrived, or after so many periods.
constexpr double settled_share = 0.8;
constexpr std::uint64_t most_periods_unsettled = 6;

/// No more elements than this share may be without a load, or differ from the others in whether they pass
/// balance points; but for no more periods than this.
constexpr double most_unmeasured = 0.02;
constexpr int most_periods_unmeasured = 20;

bool has_measured_loads(const period_report& ended) {
  const auto elements = static_cast<double>(ended.elements);
  const double with_points = static_cast<double>(ended.with_points) / std::max(elements, 1.0);
  return static_cast<double>(ended.unmeasured) <= most_unmeasured * elements &&
         (with_points <= most_unmeasured || with_points >= 1 - most_unmeasured);
}

}  // namespace

void settling::begin_step(std::uint64_t moves) {
  periods_since_step_ = 0;
  moves_ = moves;
  arrivals_ = 0;
}

bool settling::add(const period_report& ended) {
  ++periods_since_step_;
  arrivals_ += ended.arrivals;
  is_measured_ = has_measured_loads(ended) || ++periods_unmeasured_ > most_periods_unmeasured;
  if (!is_measured_) return false;
  return static_cast<double>(arrivals_) >= settled_share * static_cast<double>(moves_) ||
         periods_since_step_ > most_periods_unsettled;
}

}  // namespace imbrex::balance::detail
