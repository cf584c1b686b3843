// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "apps/minimd/problem.hpp"

namespace minimd {

/// The sites of a face-centred cubic lattice from one corner to before another, in half lattice constants,
/// with velocities of miniMD's formula: each site has a seed of its own, so they do not depend on who asks.
/// Or, if the problem has a seed, those of LAMMPS's `velocity all create T SEED loop geom`, which come from
/// the seed and the position. Not yet without momentum, nor scaled. The id of an atom is the number of its
/// site among all sites with an even sum, in the order of z, y, x. O(sites).
void for_each_site(const problem& what, const imbrex::index<3>& from, const imbrex::index<3>& to,
                   const std::function<void(const atom&)>& visit);

/// By how much velocities are scaled whose squares have this sum, so that the temperature is the problem's.
/// In metal units by miniMD's constants, as the values are that others publish.
double velocity_scale(const problem& what, double sum_of_squares);

}  // namespace minimd
