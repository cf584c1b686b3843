// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance::detail {

/// The part of an object in a step of a strategy.
enum class role : std::uint8_t {
  absent,   ///< does not count
  fixed,    ///< loads its PE
  movable,  ///< loads its PE, and may move
};

/// A solution in the making: the PE of each object, and the memory that is left on each device. An object
/// that arrives takes memory; one that leaves does not give any, since it may leave later than others arrive.
class placement {
 public:
  explicit placement(const problem& p)
      : problem_(p), pe_(p.pe.begin(), p.pe.end()), room_(p.on.free_memory.begin(), p.on.free_memory.end()) {}

  int pe(std::size_t object) const { return pe_[object]; }
  const std::vector<int>& pes() const { return pe_; }

  /// Moves an object. False, and nothing is moved, if the PE's device has no room for it.
  bool move(std::size_t object, int to) {
    if (!problem_.device_bytes.empty() && !take_room(object, to)) return false;
    pe_[object] = to;
    return true;
  }

  /// The load of each PE, of the objects that are not absent; without roles, of all. Who moves objects keeps
  /// it right, or calls `forget_loads`. The vector stays valid until this is called for other loads.
  /// O(objects), and nothing if it is called for the same again.
  std::vector<double>& loads_of_pes(std::span<const double> load, std::span<const role> roles);
  void forget_loads() { load_ = nullptr; }

  std::vector<int> take() && { return std::move(pe_); }

 private:
  bool take_room(std::size_t object, int to);

  const problem& problem_;
  std::vector<int> pe_;
  std::vector<std::uint64_t> room_;  ///< bytes left on each device; empty: no limit
  std::vector<double> loads_of_pes_;
  const double* load_ = nullptr;  ///< the loads and roles of `loads_of_pes_`; null: of none
  const role* roles_ = nullptr;
};

}  // namespace imbrex::balance::detail
