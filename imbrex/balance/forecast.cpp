// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/forecast.hpp>

#include <cmath>
#include <cstddef>
#include <utility>

namespace imbrex::balance {

void forecast::add(std::span<const double> loads) {
  if (loads.size() != now_.size()) {
    *this = {};
  } else if (!before_.empty()) {
    error_if_steady_ /= 2;
    error_if_changing_ /= 2;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      error_if_steady_ += std::abs(loads[i] - now_[i]);
      error_if_changing_ += std::abs(loads[i] - extrapolated(now_[i], before_[i]));
    }
  }
  before_ = std::exchange(now_, {loads.begin(), loads.end()});
}

std::vector<double> forecast::expected() const {
  std::vector<double> loads = now_;
  if (extrapolates())
    for (std::size_t i = 0; i < loads.size(); ++i) loads[i] = extrapolated(now_[i], before_[i]);
  return loads;
}

}  // namespace imbrex::balance
