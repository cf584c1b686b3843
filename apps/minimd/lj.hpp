// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"

namespace minimd {

/// Sums over the pairs of a block: potential energy, and force times distance. A pair that two blocks compute
/// counts half.
struct pair_sums {
  double potential = 0;
  double virial = 0;
  /// Integer sums (exact.hpp) in units of 2^-41; `potential` and `virial` are 0 if these are used.
  __int128 whole_potential = 0, whole_virial = 0;
};

/// Computes Lennard-Jones forces on own atoms, and on copies if pairs are computed once. Sums are computed
/// only with `wants_sums`, which takes a little longer.
pair_sums lj_forces(const problem& what, atom_store& store, const neighbour_list& list, bool wants_sums);

}  // namespace minimd
