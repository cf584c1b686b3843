// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/decision.hpp>

#include <algorithm>

namespace imbrex::balance {
namespace {

/// The loss as a share of the average: periods of different lengths are compared by it.
double share_lost(const period& one) { return one.average > 0 ? one.lost() / one.average : 0; }

}  // namespace

double period::lost() const { return std::max(0.0, busiest - std::max(average, largest)); }

bool decision::has_lost_enough(const period& last) {
  // Until a step has been measured, the work of a period stands for its cost.
  const double cost = cost_ < 0 ? last.average : cost_;
  return lost_ > patience_ * cost;
}

action decision::judge(const period& last) {
  unjudged_ = false;
  gain_ = last.busiest_otherwise >= 0 ? last.busiest_otherwise - last.busiest
                                      : (share_before_ - share_lost(last)) * last.average;
  if (gain_ > 0) {
    patience_ = std::max(1.0, patience_ / 2);
    return action::wait;
  }
  patience_ *= 2;
  rest_ = shortest_rest;
  lost_ = 0;
  return action::take_back;
}

action decision::next(const period& last) {
  lost_ += last.lost();
  const bool rests = rest_ > 0;
  if (rests) --rest_;
  if (unjudged_) return judge(last);
  if (rests || last.lost() <= 0 || !has_lost_enough(last)) return action::wait;
  share_before_ = share_lost(last);
  unjudged_ = true;
  rest_ = shortest_rest;
  lost_ = 0;
  return action::act;
}

void decision::done(double cost) { cost_ = cost; }

void decision::found_nothing() {
  unjudged_ = false;
  patience_ *= 2;
}

}  // namespace imbrex::balance
