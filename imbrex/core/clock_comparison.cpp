// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/clock_comparison.hpp>

#include <algorithm>

namespace imbrex::detail {

void clock_comparison::begin(std::uint64_t now) {
  next_ = now + between_rows;
  left_ = questions;
  best_.reset();
  ask_();
}

void clock_comparison::answered(std::uint64_t asked, std::uint64_t there, std::uint64_t now) {
  if (left_ == 0 || asked > now) return;
  const std::uint64_t round_trip = now - asked;
  if (!best_ || round_trip < best_->round_trip) {
    const std::uint64_t between = asked + round_trip / 2;
    best_ = {between, static_cast<std::int64_t>(there - between), round_trip};
  }
  if (--left_ > 0) return ask_();
  judge(*best_, now);
}

/// One that took much longer than another before was delayed on one of its ways, and nobody knows which.
void clock_comparison::judge(const trace::clock_reading& found, std::uint64_t now) {
  least_ = std::min(least_, found.round_trip);
  if (!kept_ || found.round_trip < kept_->round_trip) kept_ = found;
  const bool is_good = kept_->round_trip - least_ <= least_ / 20;
  if (!is_good && now - told_ < longest_silence) return;
  tell_(*kept_);
  kept_.reset();
  told_ = now;
}

}  // namespace imbrex::detail
