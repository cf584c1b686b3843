// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/clock.hpp>

#include <algorithm>

namespace imbrex::detail {

nanoseconds real_clock::now() const noexcept {
  return std::chrono::duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

void simulated_clock::advance_to(nanoseconds moment) noexcept {
  if (moment > now_) now_ = moment;
}

nanoseconds local_clock::now() const noexcept { return std::max(shared_.now(), free_from_); }

}  // namespace imbrex::detail
