// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// The moments of the next events of things numbered from 0, with access to the earliest. One thread; each
/// change is O(log n) in the number of things that have a moment.
class moment_heap {
 public:
  struct entry {
    nanoseconds when;
    int which;
  };

  bool empty() const { return heap_.empty(); }
  bool has(int which) const { return place_of(which) != nowhere; }
  /// The earliest entry; at equal moments the one with the lowest number. Not on an empty heap.
  const entry& first() const { return heap_.front(); }
  /// Sets the moment of a number, in place of an earlier one.
  void set(int which, nanoseconds when);
  /// Removes the moment of a number.
  void erase(int which);

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  std::size_t place_of(int which) const {
    const auto number = static_cast<std::size_t>(which);
    return number < places_.size() ? places_[number] : nowhere;
  }
  void put(std::size_t place, const entry& e);
  void up(std::size_t place);
  void down(std::size_t place);

  std::vector<entry> heap_;
  std::vector<std::size_t> places_;  ///< position in the heap, by number
};

}  // namespace imbrex
