// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <imbrex/cells/cell.hpp>

namespace imbrex::cells {

/// A value for each element of a block's own cells, such as the force on it, that is summed up while pairs of
/// cells come in any order. A block runs on one thread at a time, and has its own: nobody else adds to it. If
/// A has columns, each lies in an array of its own.
///
///   accumulator<force> forces;
///   forces.reset();
///   ... auto& f = forces[a]; f[i].x += ...;      // in the function of for_each_pair
template <class A>
class accumulator {
 public:
  /// Forgets all values: each cell begins anew when it is next asked for. O(1).
  void reset() { ++round_; }

  /// The values for the elements of an own cell: as many, A{} each if it is the first time since the reset.
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
  std::deque<cell<A>> values_;  ///< references to them stay while others come
  std::vector<std::uint64_t> rounds_;
  std::uint64_t round_ = 1;
};

}  // namespace imbrex::cells
