// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/cells/block_geometry.hpp>
#include <imbrex/cells/reach.hpp>

namespace imbrex::cells::detail {

/// The progress of a migration: which blocks may send elements to which own cells, and which have done so.
template <int D>
class move_phase {
 public:
  void connect(std::size_t own_cells) { waiting_for_.assign(own_cells, 0); }
  /// Finds the blocks in reach of moves by at most `most`. True if they may have changed.
  bool prepare(const block_geometry<D>& here, double most);
  void begin(std::int64_t phase);

  const reach<D>& within() const { return within_; }
  /// Number of the last migration.
  std::int64_t phase() const { return phase_; }
  bool is_active() const { return missing_ != 0; }
  /// By partner: nonzero once its elements have arrived.
  const std::vector<std::uint8_t>& arrived() const { return arrived_; }
  /// Own cell: true once all elements that may move to it have arrived.
  bool is_complete(std::size_t cell) const { return waiting_for_[cell] == 0; }

  /// Notes the elements of a partner. False if they had arrived before.
  bool arrive(std::size_t partner) {
    if (arrived_[partner] != 0) return false;
    arrived_[partner] = 1;
    return true;
  }
  /// Counts the elements of a partner as added. Calls complete(cell) for each own cell that is complete then.
  template <class Complete>
  void add(std::size_t partner, Complete complete) {
    --missing_;
    for (const std::uint32_t c : reachable_[partner])
      if (--waiting_for_[c] == 0) complete(c);
  }

  void serialize(auto& ar) { ar(within_, reachable_, senders_, phase_, waiting_for_, arrived_, missing_); }

 private:
  reach<D> within_;
  std::vector<std::vector<std::uint32_t>> reachable_;  ///< by partner: own cells that its elements can reach
  std::vector<std::uint16_t> senders_;  ///< by own cell: number of partners that have it in reach
  std::int64_t phase_ = 0;
  std::vector<std::uint16_t> waiting_for_;  ///< by own cell: partners that have not sent
  std::vector<std::uint8_t> arrived_;
  std::size_t missing_ = 0;
};

extern template class move_phase<2>;
extern template class move_phase<3>;

}  // namespace imbrex::cells::detail
