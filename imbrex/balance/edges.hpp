// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/balance/snapshot.hpp>

namespace imbrex::balance {

/// An edge by its objects.
struct edge {
  std::uint32_t from, to;  ///< numbers of the two objects
};

/// The edges of a problem, in its order. O(edges).
std::vector<edge> edges_of(const problem& p);

/// Sets the edges of a problem, whose objects are set, with their bytes. Edges between the same objects are
/// joined. Throws imbrex::error if there are more or fewer bytes than edges, or if an object is not there.
/// O(edges log edges).
void set_edges(snapshot& p, const std::vector<edge>& edges, const std::vector<float>& bytes);

}  // namespace imbrex::balance
