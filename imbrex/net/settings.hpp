// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// Limits of the modelled network between PEs: latency and injection gap; bandwidth in bytes a second.
inline constexpr nanoseconds max_net_delay = std::chrono::minutes(1);
inline constexpr std::uint64_t min_net_bandwidth = 1'000;
inline constexpr std::uint64_t max_net_bandwidth = 1'000'000'000'000;

}  // namespace imbrex
