// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/delay/link_model.hpp>

#include <algorithm>
#include <cmath>

namespace imbrex {

nanoseconds link_model::transfer_time(std::size_t bytes) const {
  if (bandwidth == 0) return nanoseconds(0);
  return nanoseconds(std::llround(static_cast<double>(bytes) * 1e9 / static_cast<double>(bandwidth)));
}

nanoseconds link_entrance::inject(const link_model& model, nanoseconds now, std::size_t bytes) {
  const auto start = std::max(now, free_);
  const auto transfer = model.transfer_time(bytes);
  free_ = start + model.injection_gap + transfer;
  return start + model.latency + transfer;
}

}  // namespace imbrex
