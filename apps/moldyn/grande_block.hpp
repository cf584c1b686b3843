// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/cells.hpp>

#include "apps/moldyn/grande.hpp"
#include "apps/moldyn/overlap.hpp"

namespace moldyn {

/// Some of the cells of the Java Grande model. Between moves of the atoms it may migrate.
class grande_block : public imbrex::chare<grande_block, imbrex::index<3>> {
 public:
  imbrex::cells::cell_set<3, atom> cells;

  grande_block(const grande& model, const imbrex::cells::domain<3>& box,
               const imbrex::grid::decomposition<3>& cut);
  grande_block() = default;

  /// Executes `moves` moves. Returns this block's share of the energies of the printed moves and of the last
  /// one.
  imbrex::task<std::vector<energies>> run(int moves, overlap how);

  void serialize(auto& ar) { ar(cells, model_, move_, printed_); }

 private:
  /// Completes the velocities' update of a move. Returns the sum of their squares, in units of the step.
  double finish_velocities();
  void scale_velocities(double by);

  grande model_;

  // The present call of run().
  int move_ = 0;
  std::vector<energies> printed_;
};

/// The domain of the model: a periodic cube with `cells` cells along each edge.
imbrex::cells::domain<3> cube(const grande& model, int cells);

}  // namespace moldyn
