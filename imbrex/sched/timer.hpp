// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/work.hpp>

namespace imbrex::detail {

/// Work that becomes runnable at a moment. Its owner keeps it alive until it has run or was removed.
struct timer : work {
  nanoseconds deadline{};
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::size_t place = nowhere;  ///< index in the heap; maintained by `timer_heap`
};

/// The timers of one PE, earliest first. One thread; every operation O(log n).
class timer_heap {
 public:
  bool empty() const { return heap_.empty(); }
  void add(timer& t);
  void remove(timer& t);
  nanoseconds next_deadline() const { return heap_.front()->deadline; }
  /// Removes and returns the earliest timer if it is due; else null.
  timer* take_due(nanoseconds now);

 private:
  void up(std::size_t at);
  void down(std::size_t at);
  bool before(std::size_t a, std::size_t b) const { return heap_[a]->deadline < heap_[b]->deadline; }
  void exchange(std::size_t a, std::size_t b);

  std::vector<timer*> heap_;
};

}  // namespace imbrex::detail
