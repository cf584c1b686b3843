// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <imbrex/core/array/proxy.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex {

/// The result of a step of the balancer.
struct rebalance_result {
  std::string strategy = "none";  ///< as named by `--balance`; "none" if the run has no balancer
  double before = 1;              ///< the busiest PE's load over the average, before the step
  double after = 1;               ///< this ratio, as expected after the step
  std::uint64_t elements = 0;     ///< elements whose classes can migrate
  std::uint64_t moved = 0;        ///< elements that were asked to move; each leaves at its next opportunity
  std::uint64_t unmovable = 0;    ///< elements that were passed over, since they could not leave
  double seconds = 0;             ///< from the request to the last request for a move

  void serialize(auto& ar) { ar(strategy, before, after, elements, moved, unmovable, seconds); }
};

namespace balance::detail {

pending<rebalance_result> rebalance(std::uint64_t array);

}  // namespace balance::detail

/// Balances the elements of an array once, now, by the loads measured since the last period ended. Use
/// `co_await` for the result. The strategy is that of `--balance`; without the option nothing moves. Call it
/// in the main task or an entry. The result may come before elements have moved that were busy.
template <class T>
pending<rebalance_result> rebalance(const array<T>& elements) {
  return balance::detail::rebalance(elements.collection());
}

}  // namespace imbrex
