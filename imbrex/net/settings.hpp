// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// The longest latency and injection gap, and the bandwidths in bytes a second, that the network between PEs
/// may be given.
inline constexpr nanoseconds max_net_delay = std::chrono::minutes(1);
inline constexpr std::uint64_t min_net_bandwidth = 1'000;
inline constexpr std::uint64_t max_net_bandwidth = 1'000'000'000'000;

}  // namespace imbrex
