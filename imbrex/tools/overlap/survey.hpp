// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/tools/overlap/model.hpp>

namespace imbrex::overlap {

/// The networks that programs are looked at over; as they are, the paper's (section 4.1).
struct survey {
  std::vector<microseconds> latencies{microseconds(1), microseconds(2), microseconds(4), microseconds(8)};
  std::vector<double> bandwidths{1, 10, 50, 100, 200, 400, 950, 2000, 5000};  ///< MB/s, ascending
  network testbed{};                                                          ///< what there is today

  /// With the testbed's gap.
  network at(microseconds latency, double bandwidth) const { return {latency, bandwidth, testbed.gap}; }
  double best_bandwidth() const { return bandwidths.back(); }
};

/// At most `most` elements of what is sent, evenly spaced, with the first and the last; `most` is 2 or more.
std::vector<std::uint64_t> some_elements(const datum& of, std::size_t most);

}  // namespace imbrex::overlap
