// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/minimd/problem.hpp"
#include "apps/minimd/store.hpp"

namespace minimd {

/// What the pairs of a block add up to: their potential energy, and force times distance; of a pair that two
/// blocks have, half.
struct pair_sums {
  double potential = 0;
  double virial = 0;
  /// The same of sums of whole numbers (exact.hpp), in units of 2^-41; the others are 0 then.
  __int128 whole_potential = 0, whole_virial = 0;
};

/// Lennard-Jones forces on all atoms of the store, copies too where pairs are computed once. Sums only if
/// they are wanted, which takes a little longer.
pair_sums lj_forces(const problem& what, atom_store& store, const neighbour_list& list, bool wants_sums);

}  // namespace minimd
