// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "apps/minimd/eam.hpp"

namespace minimd {

// The loops of eam.hpp over full lists, eight pairs at a time; only if has_avx512() is true.

void eam_densities_by_vectors(const problem& what, const eam_potential& by, const atom_store& store,
                              const neighbour_list& list, near_pairs& near, std::vector<double>& densities);
pair_sums eam_forces_by_vectors(const eam_potential& by, const std::vector<double>& slopes,
                                const near_pairs& near, atom_store& store);

}  // namespace minimd
