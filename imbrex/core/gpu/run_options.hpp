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

}  // namespace imbrex::detail
