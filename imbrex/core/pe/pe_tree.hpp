// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace imbrex::detail {

/// A PE's place in a tree over all PEs of a run, along which collectives go.
///
/// Each subtree holds PEs of consecutive numbers. So values that are combined upwards, lower PEs first, keep
/// the order of the PEs. The tree joins hosts first, then the PEs of each host. A PE has at most `arity`
/// children on its own host. The first PE of a host has at most as many children on other hosts. An earlier
/// child has the larger subtree, since later children receive later. The tree depends only on the number of
/// PEs, the hosts and the root.
struct tree_place {
  static constexpr int arity = 4;

  int parent = -1;            ///< a PE; -1 at the root
  std::vector<int> children;  ///< PEs, in the order in which messages go down

  /// The number of reports that make up that of the subtree: those of the children and of the PE itself.
  int reporters() const { return static_cast<int>(children.size()) + 1; }
  /// The index of a child; `children.size()` if `child` is none.
  std::size_t position_of(int child) const;
};

/// `host_starts`: the first PE of each host, ascending from 0; a host's PEs have consecutive numbers.
tree_place place_in_tree(int pe, int root, int pes, std::span<const int> host_starts);

}  // namespace imbrex::detail
