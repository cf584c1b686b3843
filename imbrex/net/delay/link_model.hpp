// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// The arrival time of a message, by the model of paper 003, section 4.2 (Bell et al. 2003, of the LogGP
/// family): a message of `n` bytes whose injection starts at `s` arrives at
///
///     s + EEL + G n          EEL = latency, end to end;  1/G = bandwidth
///
/// and the sender's next injection starts at `s + g + G n` at the earliest; g = injection gap. The paper
/// calls g the time between two consecutive small messages and G the additional gap per byte, so the two add
/// up. Small messages leave g apart, and large ones at the full bandwidth. The bytes of one sender's messages
/// never overlap. Latency occupies no processor. As in the paper there is no contention: senders do not
/// disturb each other, not even at one receiver. Every pair of PEs is equally far apart.
struct link_model {
  nanoseconds latency{0};
  std::uint64_t bandwidth = 0;  ///< bytes a second; 0: unlimited
  nanoseconds injection_gap{0};

  /// False if every message arrives at once.
  bool delays() const { return latency.count() != 0 || bandwidth != 0 || injection_gap.count() != 0; }
  /// G n, rounded to nanoseconds.
  nanoseconds transfer_time(std::size_t bytes) const;
};

/// One sender's access to the link. It belongs to the sender's thread.
class link_entrance {
 public:
  /// Injects a message of `bytes` bytes that was sent at `now`; `now` never decreases. Returns the arrival
  /// time.
  nanoseconds inject(const link_model& model, nanoseconds now, std::size_t bytes);

 private:
  nanoseconds free_{nanoseconds::min()};  // earliest start of the next injection
};

}  // namespace imbrex
