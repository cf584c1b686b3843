// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <imbrex/base/queue.hpp>
#include <imbrex/base/random.hpp>

namespace imbrex {

/// Priorities of messages, from the one that runs first to the one that runs last; 0 is what messages have
/// that ask for none.
inline constexpr int first_priority = -32;
inline constexpr int last_priority = 31;

/// What one PE has to do: a FIFO lane for each priority, the lowest number first; or, with a shuffle seed, a
/// bag from which items are drawn at random, whatever their priority. One thread.
class run_queue {
 public:
  explicit run_queue(std::optional<std::uint64_t> shuffle) {
    if (shuffle) bag_.emplace(*shuffle);
  }

  bool empty() const { return occupied_ == 0 && (!bag_ || bag_->items.empty()); }

  void push(work& item) {
    if (bag_) [[unlikely]]
      return bag_->items.push_back(&item);
    // Masked, since a proxy that came off a wire may hold any priority.
    const auto lane = static_cast<std::size_t>(item.priority - first_priority) % lanes_.size();
    lanes_[lane].push(item);
    occupied_ |= std::uint64_t{1} << lane;
  }

  /// The next item, or null.
  work* pop() {
    if (occupied_ == 0) [[unlikely]]
      return bag_ ? draw() : nullptr;
    const auto lane = static_cast<std::size_t>(std::countr_zero(occupied_));
    work& item = lanes_[lane].pop();
    if (lanes_[lane].empty()) occupied_ &= ~(std::uint64_t{1} << lane);
    return &item;
  }

 private:
  struct bag {
    explicit bag(std::uint64_t seed) : generator(seed) {}
    random generator;
    std::vector<work*> items;
  };

  work* draw() {
    auto& items = bag_->items;
    if (items.empty()) return nullptr;
    std::swap(items[bag_->generator.below(items.size())], items.back());
    work* item = items.back();
    items.pop_back();
    return item;
  }

  std::uint64_t occupied_ = 0;  // bit l: lane l has items
  std::array<work_queue, 64> lanes_;
  std::optional<bag> bag_;
};

}  // namespace imbrex
