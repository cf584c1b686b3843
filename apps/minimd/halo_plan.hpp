// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/cells.hpp>

#include "apps/minimd/device_layout.hpp"
#include "apps/minimd/problem.hpp"

namespace minimd {

/// The exchange of a block on a device with one other block between two renewals of lists.
struct halo_part {
  imbrex::index<3> with{};
  std::size_t first_source = 0, sources = 0;  ///< range in the plan's sources
  std::size_t first_copy = 0, copies = 0;     ///< range in the store's copies
};

/// Numbers of atoms on a block's device, and all its exchanges.
struct halo_plan {
  std::size_t own = 0, copies = 0;
  std::size_t entries_of_list = 0;     ///< entries of the list in its slices
  std::vector<halo_part> parts{};      ///< the first is for images of the block's own atoms
  std::vector<halo_source> sources{};  ///< for all parts; empty if the device keeps no data
  std::size_t number_of_sources = 0;
};

using atom_cells = imbrex::cells::cell_set<3, atom>;

/// The plan for a cell set's present copies, without the list. Throws imbrex::error if a copy lies more than
/// 127 times around the box.
halo_plan plan_of(atom_cells& cells);

/// The plan for atoms of uniform density, for devices that keep no data. Throws imbrex::usage_error if a
/// block is thinner than the range of lists.
halo_plan expected_plan(const problem& what, const imbrex::cells::domain<3>& box,
                        const imbrex::grid::decomposition<3>& cut, const imbrex::index<3>& block);

}  // namespace minimd
