// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace imbrex::mpi {

/// A graph of ranks as MPI_Graph_create takes it: `index[i]` is where the neighbours of rank i end among the
/// edges.
class graph {
 public:
  /// Throws mpi::error (MPI_ERR_ARG) if the indices descend or are negative, or an edge leads to no rank.
  graph(std::vector<int> index, std::vector<int> edges);

  int places() const { return int(index_.size()); }
  const std::vector<int>& index() const { return index_; }
  const std::vector<int>& edges() const { return edges_; }
  /// Throws mpi::error (MPI_ERR_RANK) for a rank that there is not.
  std::span<const int> neighbours(int rank) const;

 private:
  std::vector<int> index_;
  std::vector<int> edges_;
};

/// What one rank knows of a distributed graph: its own neighbours.
struct adjacency {
  std::vector<int> sources;
  std::vector<int> destinations;
  bool is_weighted = false;
  std::vector<int> source_weights;  ///< as many as there are sources if it is weighted
  std::vector<int> destination_weights;
};

}  // namespace imbrex::mpi
