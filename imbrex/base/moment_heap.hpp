// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// At which moment something comes of each of many things, which have numbers from 0; the earliest of them at
/// once. One thread; each change O(log n) of those that have a moment.
class moment_heap {
 public:
  struct entry {
    nanoseconds when;
    int which;
  };

  bool empty() const { return heap_.empty(); }
  bool has(int which) const { return place_of(which) != nowhere; }
  /// The earliest; of several at one moment that with the least number. Not if it is empty.
  const entry& first() const { return heap_.front(); }
  /// The moment of that number, in the place of the one that it had.
  void set(int which, nanoseconds when);
  /// That number has no moment.
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
  std::vector<std::size_t> places_;  ///< in the heap, by number
};

}  // namespace imbrex
