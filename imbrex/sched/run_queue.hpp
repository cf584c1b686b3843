// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <imbrex/base/owner.hpp>
#include <imbrex/base/queue.hpp>

namespace imbrex::detail {

/// Range of priorities of messages, from the first to run to the last; the default is 0.
inline constexpr int first_priority = -32;
inline constexpr int last_priority = 31;

/// The queue of one PE: a FIFO lane for each priority, the lowest number first. With a shuffle seed, a bag
/// from which items are drawn at random, whatever their priority. One thread.
class run_queue {
 public:
  explicit run_queue(std::optional<std::uint64_t> shuffle);
  ~run_queue();
  run_queue(const run_queue&) = delete;
  run_queue& operator=(const run_queue&) = delete;

  bool empty() const { return occupied_ == 0 && (!bag_ || is_bag_empty()); }

  /// True without a shuffle seed.
  bool is_in_order() const { return !bag_; }

  void push(work& item) {
    if (bag_) [[unlikely]]
      return put_into_bag(item);
    push_in_order(item);
  }
  /// Adds an item, without a shuffle seed.
  void push_in_order(work& item) {
    // Masked, since a proxy received from a wire may hold any priority.
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

  /// Visits all items.
  template <class Visitor>
  void for_each(Visitor visit) const {
    for (const work_queue& lane : lanes_)
      for (const work* item = lane.front(); item != nullptr; item = item->next) visit(*item);
    if (bag_)
      for (const work* item : bag_items()) visit(*item);
  }

 private:
  struct bag;

  std::span<const work* const> bag_items() const;

  bool is_bag_empty() const;
  void put_into_bag(work& item);
  work* draw();

  std::uint64_t occupied_ = 0;  // bit l: lane l has items
  std::array<work_queue, 64> lanes_;
  owner<bag> bag_;  // null without a seed
};

}  // namespace imbrex::detail
