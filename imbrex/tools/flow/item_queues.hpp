// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/trace/flow.hpp>

namespace imbrex::tools {

/// The queues of all PEs of a flow: a list for each priority that occurs, first in, first out, as
/// `run_queue`. Each item is in at most one list, so the lists are links between items.
class item_queues {
 public:
  explicit item_queues(const trace::flow& what)
      : flow_(what), next_(what.items.size(), none), lane_of_(priorities) {
    std::uint64_t used = 1;
    for (const trace::flow::item& i : what.items) used |= std::uint64_t{1} << place_of(i.priority);
    for (unsigned p = 0; p < priorities; ++p)
      lane_of_[p] = static_cast<std::uint8_t>(std::popcount(used & ((std::uint64_t{1} << p) - 1)));
    lanes_of_pe_ = static_cast<std::size_t>(std::popcount(used));
    lanes_.resize(what.pes() * lanes_of_pe_);
    occupied_.resize(what.pes());
  }

  bool empty(std::uint32_t pe) const { return occupied_[pe] == 0; }
  void push(std::uint32_t pe, std::uint32_t item) {
    const std::size_t which = lane_of_[place_of(flow_.items[item].priority)];
    lane& to = lanes_[pe * lanes_of_pe_ + which];
    (to.first == none ? to.first : next_[to.last]) = item;
    to.last = item;
    occupied_[pe] |= std::uint64_t{1} << which;
  }
  /// The next item; `flow::none` if there is none.
  std::uint32_t pop(std::uint32_t pe) {
    if (empty(pe)) return none;
    const auto which = static_cast<std::size_t>(std::countr_zero(occupied_[pe]));
    lane& from = lanes_[pe * lanes_of_pe_ + which];
    const std::uint32_t item = from.first;
    from.first = next_[item];
    if (from.first == none) occupied_[pe] &= ~(std::uint64_t{1} << which);
    return item;
  }

 private:
  static constexpr std::uint32_t none = trace::flow::none;
  static constexpr unsigned priorities = 64;
  struct lane {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  static unsigned place_of(std::int8_t priority) { return static_cast<unsigned>(priority + 32) % priorities; }

  const trace::flow& flow_;
  std::vector<std::uint32_t> next_;      ///< by item
  std::vector<std::uint8_t> lane_of_;    ///< by place of a priority
  std::vector<lane> lanes_;              ///< by PE and lane
  std::vector<std::uint64_t> occupied_;  ///< by PE; bit l: lane l has items
  std::size_t lanes_of_pe_ = 0;
};

}  // namespace imbrex::tools
