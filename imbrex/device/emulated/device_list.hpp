// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace imbrex::emulated {

/// Numbers of devices, each listed once until they are taken.
class device_list {
 public:
  void add(int number) {
    const auto place = static_cast<std::size_t>(number);
    if (place >= is_listed_.size()) is_listed_.resize(place + 1);
    if (!std::exchange(is_listed_[place], char{1})) listed_.push_back(number);
  }
  bool empty() const { return listed_.empty(); }
  /// Takes all numbers, sorted, so that devices change in this order whatever the cause. The result is valid
  /// until the next call.
  std::span<const int> take() {
    taken_.clear();
    std::swap(taken_, listed_);
    if (taken_.size() > 1) std::ranges::sort(taken_);  // usually there is only one
    for (const int number : taken_) is_listed_[static_cast<std::size_t>(number)] = 0;
    return taken_;
  }

 private:
  std::vector<int> listed_;
  std::vector<int> taken_;
  std::vector<char> is_listed_;  ///< by device
};

}  // namespace imbrex::emulated
