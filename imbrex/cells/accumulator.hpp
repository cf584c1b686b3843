// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <imbrex/cells/cell.hpp>

namespace imbrex::cells {

/// Sums a value, such as a force, for each element of a block's own cells. Pairs of cells may come in any
/// order. Each block has its own accumulator and runs on one thread at a time, so there are no concurrent
/// additions. If A has columns, each lies in an array of its own.
///
///   accumulator<force> forces;
///   forces.reset();
///   ... auto& f = forces[a]; f[i].x += ...;      // in the function of for_each_pair
template <class A>
class accumulator {
 public:
  /// Resets all values: each cell starts from A{} when it is accessed next. O(1).
  void reset() { ++round_; }

  /// Values for the elements of an own cell, one per element. On the first access after a reset each is A{}.
  template <class T>
  cell<A>& operator[](const cell<T>& of) {
    if (of.number() >= values_.size()) {
      values_.resize(of.number() + 1);
      rounds_.resize(of.number() + 1);
    }
    auto& values = values_[of.number()];
    if (rounds_[of.number()] != round_) {
      rounds_[of.number()] = round_;
      values.assign(of.size(), A{});
    }
    return values;
  }

  void serialize(auto& ar) { ar(values_, rounds_, round_); }

 private:
  std::deque<cell<A>> values_;  ///< a deque, whose references stay valid while it grows
  std::vector<std::uint64_t> rounds_;
  std::uint64_t round_ = 1;
};

}  // namespace imbrex::cells
