// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/clock_comparison.hpp>

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
  tell_(*best_);
}

}  // namespace imbrex::detail
