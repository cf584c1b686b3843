// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_loads.hpp>

#include <algorithm>

#include <imbrex/core/pe/load_meter.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

void device_loads::submitted(double seconds) noexcept {
  const auto* const pe = static_cast<const processor*>(scheduler::current());
  if (pe != nullptr && pe->loads() != nullptr) pe->loads()->add_beside(static_cast<float>(seconds));
}

double device_loads::note_period(int pe, double seconds) {
  const std::lock_guard hold(lock_);
  const auto at = std::ranges::find(last_, pe, &of_pe::pe);
  if (at == last_.end())
    last_.push_back({pe, seconds});
  else
    at->seconds = seconds;
  double sum = 0;
  for (const of_pe& each : last_) sum += each.seconds;
  return sum;
}

}  // namespace imbrex::detail
