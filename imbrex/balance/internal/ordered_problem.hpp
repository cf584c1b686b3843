// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/problem.hpp>

namespace imbrex::balance::detail {

/// A problem with the order of its objects along a curve, which is computed if the problem has none.
class ordered_problem {
 public:
  explicit ordered_problem(const problem& p) : problem_(p) {
    if (!p.curve.empty()) return;
    order_ = curve_order(p);
    problem_.curve = order_;
  }
  ordered_problem(const ordered_problem&) = delete;
  ordered_problem& operator=(const ordered_problem&) = delete;

  const problem& get() const { return problem_; }

 private:
  problem problem_;
  std::vector<std::uint32_t> order_;
};

}  // namespace imbrex::balance::detail
