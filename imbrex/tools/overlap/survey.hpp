// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/tools/overlap/model.hpp>

namespace imbrex::overlap {

/// The networks to evaluate programs over; the defaults are the paper's (section 4.1).
struct survey {
  std::vector<microseconds> latencies{microseconds(1), microseconds(2), microseconds(4), microseconds(8)};
  std::vector<double> bandwidths{1, 10, 50, 100, 200, 400, 950, 2000, 5000};  ///< MB/s, ascending
  network testbed{};                                                          ///< today's network

  /// The network with this latency and bandwidth, and the testbed's gap.
  network at(microseconds latency, double bandwidth) const { return {latency, bandwidth, testbed.gap}; }
  double best_bandwidth() const { return bandwidths.back(); }
};

/// At most `most` (2 or more) of the sent elements, evenly spaced, with the first and the last.
std::vector<std::uint64_t> some_elements(const datum& of, std::size_t most);

}  // namespace imbrex::overlap
