// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/minimd/lj.hpp"

namespace minimd {

/// Lennard-Jones forces with full lists that are the same to the bit however the atoms are cut: each pair's
/// force and energy is made a multiple of 2^-40, so that sums do not depend on their order, and pairs see
/// each other at the nearest image, so that it does not matter which of them is a copy. Copies lie where
/// their atoms do. Throws imbrex::error if a force is beyond 2^22.
pair_sums exact_lj_forces(const problem& what, atom_store& store, const neighbour_list& list);

}  // namespace minimd
