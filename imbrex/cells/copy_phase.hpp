// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/cells/block_geometry.hpp>
#include <imbrex/cells/move_phase.hpp>
#include <imbrex/cells/reach.hpp>
#include <imbrex/core/extension/index.hpp>

namespace imbrex::cells::detail {

/// The progress of the exchange of copies: which are sent, and which have arrived. A slot is the number of a
/// cell in the region that the copies fill.
template <int D>
class copy_phase {
 public:
  static constexpr std::int64_t nothing_else = -1;

  /// Finds the blocks within `width`. True if they have changed.
  bool prepare(const block_geometry<D>& here, double width);
  /// Finds the moves that must have arrived before copies are sent.
  void find_needs(const move_phase<D>& moves);
  /// Begins a phase that sends copies after the phase `after`.
  void begin(std::int64_t phase, std::int64_t after);
  /// Begins an exchange by one collective, which ends at once.
  void begin_together() { has_cell_.assign(within_.region.size(), 0); }

  const reach<D>& within() const { return within_; }
  bool is_prepared() const { return within_.distance >= 0; }
  std::size_t slot_of(const index<D>& at) const {
    return static_cast<std::size_t>(extension::linear(within_.region.extents, at - within_.region.origin));
  }
  /// Number of the last phase.
  std::int64_t phase() const { return phase_; }
  bool is_active() const { return !has_all_copies() || unsent_ != 0; }
  bool has_all_copies() const { return missing_ == 0; }
  bool has_cell(std::size_t slot) const { return has_cell_[slot] != 0; }
  void note_cell(std::size_t slot) { has_cell_[slot] = 1; }
  /// By partner: nonzero once its copies have arrived.
  const std::vector<std::uint8_t>& arrived() const { return arrived_; }

  /// Notes the copies of a partner. False if they had arrived before.
  bool arrive(std::size_t partner) {
    if (arrived_[partner] != 0) return false;
    arrived_[partner] = 1;
    return true;
  }
  void add() { --missing_; }
  /// Calls send(partner) for each partner whose copies are ready and not sent, and send(their number) for the
  /// images.
  template <class Send>
  void send_ready(const move_phase<D>& moves, Send send) {
    if (unsent_ == 0 || (moves.is_active() && after_ == moves.phase())) return;
    for (std::size_t p = 0; p < is_sent_.size(); ++p) {
      if (is_sent_[p] != 0 || !is_ready(moves, p)) continue;
      is_sent_[p] = 1;
      --unsent_;
      send(p);
    }
  }

  void serialize(auto& ar) {
    ar(within_, has_cell_, needs_, phase_, after_, is_sent_, arrived_, missing_, unsent_);
  }

 private:
  bool is_ready(const move_phase<D>& moves, std::size_t partner) const {
    return !moves.is_active() ||
           std::ranges::all_of(needs_[partner], [&](std::size_t m) { return moves.arrived()[m] != 0; });
  }

  reach<D> within_;
  std::vector<std::uint8_t> has_cell_;  ///< by slot: nonzero once its copies have arrived
  /// By partner, and last for images: partners whose moves must have arrived first.
  std::vector<std::vector<std::size_t>> needs_;
  std::int64_t phase_ = 0;
  std::int64_t after_ = nothing_else;
  std::vector<std::uint8_t> is_sent_;  ///< by partner, and last for images: nonzero once the copies are sent
  std::vector<std::uint8_t> arrived_;
  std::size_t missing_ = 0, unsent_ = 0;
};

extern template class copy_phase<2>;
extern template class copy_phase<3>;

}  // namespace imbrex::cells::detail
