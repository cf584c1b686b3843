// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <imbrex/cells.hpp>

#include "apps/minimd/eam.hpp"
#include "apps/minimd/lists.hpp"
#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"
#include "apps/minimd/sums.hpp"

namespace minimd {

/// The momentum of atoms, over their mass.
struct momentum {
  exact_sum x, y, z;
  std::int64_t atoms = 0;

  momentum operator+(const momentum& other) const {
    return {x + other.x, y + other.y, z + other.z, atoms + other.atoms};
  }
};

/// Some of the cells of the box. Atoms lie in the cell set when their lists of neighbours are renewed, and in
/// between in the arrays of a store; copies follow their atoms at each step.
class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  imbrex::cells::cell_set<3, atom> cells;

  /// With the atoms of the lattice.
  block(const problem& what, const imbrex::cells::domain<3>& box, const imbrex::grid::decomposition<3>& cut);

  // The initial state, which must come to the problem's temperature.

  momentum velocities();
  /// Takes away a velocity from all. Returns the sum of squares.
  exact_sum without(const imbrex::cells::point<3>& velocity);
  void scale(double by);
  /// Replaces all atoms: of these it takes its own. The step goes on from there.
  void restart(std::span<const atom> atoms, std::int64_t step);

  /// So many steps. Returns what this block's atoms add up to at the last one.
  imbrex::task<thermo_sums> run(std::int64_t steps);

  /// As they are now.
  std::vector<atom> atoms();

 private:
  imbrex::task<> renew();
  imbrex::task<> refresh();
  imbrex::task<> compute_forces(bool wants_sums);
  imbrex::task<> give_back_forces();
  void fill_store();
  void fill_order();
  void drift();
  void kick();

  problem what_;
  std::optional<eam_potential> eam_;
  std::vector<cell_row> rows_;
  atom_store store_;
  cell_order order_;
  neighbour_list list_;
  std::vector<double> densities_, slopes_;
  pair_sums pairs_;
  std::int64_t step_ = 0;
  bool is_stored_ = false;  ///< the store is ahead of the cells
};

/// The box of a problem with cells for its lists: half as wide as the range, or fewer; at least as many along
/// each side as there are blocks, if the box has so many.
imbrex::cells::domain<3> box_of(const problem& what);

}  // namespace minimd
