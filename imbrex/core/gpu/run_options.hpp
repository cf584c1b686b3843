// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/core/options/options.hpp>
#include <imbrex/net/delay/link_model.hpp>

namespace imbrex::detail {

/// The network of the options.
inline link_model link_of(const options& settings) {
  return {settings.net_latency, settings.net_bandwidth, settings.net_injection_gap};
}

/// The seed of the deterministic machine's order.
inline std::uint64_t seed_of(const options& settings) { return settings.seed.value_or(1); }

/// `--shuffle` makes another order of each seed.
inline std::uint64_t seed_of_order(const options& settings) {
  return seed_of(settings) + settings.shuffle.value_or(0) * 1'000'003;
}

}  // namespace imbrex::detail
