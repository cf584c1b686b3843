// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/cells.hpp>

#include "apps/minimd/device_layout.hpp"
#include "apps/minimd/problem.hpp"

namespace minimd {

/// What a block on a device exchanges with another between two renewals of lists.
struct halo_part {
  imbrex::index<3> with{};
  std::size_t first_source = 0, sources = 0;  ///< of the plan
  std::size_t first_copy = 0, copies = 0;     ///< of the store
};

/// How much there is on a block's device, and what goes where.
struct halo_plan {
  std::size_t own = 0, copies = 0;
  std::size_t entries_of_list = 0;     ///< in slices
  std::vector<halo_part> parts{};      ///< the first is of images of the block's own atoms
  std::vector<halo_source> sources{};  ///< of all parts; none where a device keeps no data
  std::size_t number_of_sources = 0;
};

using atom_cells = imbrex::cells::cell_set<3, atom>;

/// Of the copies that a cell set has now; without the list. Throws imbrex::error if one lies more than 127
/// times around the box.
halo_plan plan_of(atom_cells& cells);

/// What there would be of atoms everywhere as dense as the problem's, for devices that keep no data. Throws
/// imbrex::usage_error if a block is thinner than the range of lists.
halo_plan expected_plan(const problem& what, const imbrex::cells::domain<3>& box,
                        const imbrex::grid::decomposition<3>& cut, const imbrex::index<3>& block);

}  // namespace minimd
