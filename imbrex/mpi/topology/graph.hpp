// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace imbrex::mpi {

/// A graph of ranks as in MPI_Graph_create: `index[i]` is the end of rank i's neighbours in `edges`.
class graph {
 public:
  /// Throws mpi::error (MPI_ERR_ARG) if the indices descend or are negative, or an edge leads to an invalid
  /// rank.
  graph(std::vector<int> index, std::vector<int> edges);

  int places() const { return int(index_.size()); }
  const std::vector<int>& index() const { return index_; }
  const std::vector<int>& edges() const { return edges_; }
  /// Throws mpi::error (MPI_ERR_RANK) if the rank does not exist.
  std::span<const int> neighbours(int rank) const;

 private:
  std::vector<int> index_;
  std::vector<int> edges_;
};

/// One rank's view of a distributed graph: its own neighbours.
struct adjacency {
  std::vector<int> sources;
  std::vector<int> destinations;
  bool is_weighted = false;
  std::vector<int> source_weights;  ///< one per source if the graph is weighted
  std::vector<int> destination_weights;

  void serialize(auto& ar) { ar(sources, destinations, is_weighted, source_weights, destination_weights); }
};

}  // namespace imbrex::mpi
