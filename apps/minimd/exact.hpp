// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/minimd/eam.hpp"
#include "apps/minimd/lj.hpp"

namespace minimd {

// Sums that are equal to the bit for every division of atoms into blocks, and for full and half lists. Each
// pair's terms are rounded to multiples of 2^-40, so sums do not depend on their order. Pairs use the nearest
// image, so it does not matter which atom is a copy. Copies have the positions of their atoms. All functions
// throw imbrex::error if a number is beyond 2^22.

/// Numbers in units of 2^-40.
using whole_numbers = std::vector<std::int64_t>;

inline double value_of(std::int64_t whole) { return static_cast<double>(whole) * 0x1p-40; }

/// Lennard-Jones forces, three numbers for each atom, and for copies too if pairs are computed once.
pair_sums exact_lj_forces(const problem& what, const atom_store& store, const neighbour_list& list,
                          whole_numbers& forces);

// Counterparts of the functions in eam.hpp.

void exact_eam_densities(const problem& what, const eam_potential& by, const atom_store& store,
                         const neighbour_list& list, whole_numbers& densities);
/// Returns the sum of the embedding energies of own atoms, in units of 2^-40, and writes their slopes.
__int128 exact_eam_embed(const eam_potential& by, const whole_numbers& densities, std::size_t own,
                         std::vector<double>& slopes);
/// Embedded-atom forces, three numbers for each atom.
pair_sums exact_eam_forces(const problem& what, const eam_potential& by, const std::vector<double>& slopes,
                           const atom_store& store, const neighbour_list& list, whole_numbers& forces);

}  // namespace minimd
