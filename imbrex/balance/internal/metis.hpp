// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace imbrex::balance::detail {

/// A graph to be parted: for each vertex the others that it has edges with, each edge at both of its ends.
struct weighted_graph {
  std::vector<std::int32_t> first{};  ///< first edge end of each vertex, and their number
  std::vector<std::int32_t> other{};  ///< the vertex at the other end of each edge end
  std::vector<std::int32_t> edge_weight{};
  std::vector<std::int32_t> vertex_weight{};

  std::int32_t vertices() const { return static_cast<std::int32_t>(vertex_weight.size()); }
};

/// The part of each vertex, by METIS: parts have weights in about the ratio of the shares, and cut few edges.
/// Throws usage_error where METIS is missing, and imbrex::error if it fails.
std::vector<std::int32_t> part_by_metis(weighted_graph& graph, std::span<const double> shares,
                                        std::uint64_t seed);

}  // namespace imbrex::balance::detail
