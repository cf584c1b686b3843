// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/topology/graph.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

graph::graph(std::vector<int> index, std::vector<int> edges)
    : index_(std::move(index)), edges_(std::move(edges)) {
  int last = 0;
  for (std::size_t i = 0; i < index_.size(); ++i) {
    if (index_[i] < last)
      throw error(MPI_ERR_ARG, "the index of the node " + std::to_string(i) + " is " +
                                   std::to_string(index_[i]) + ", and that of the node before is " +
                                   std::to_string(last) + "; they must not descend");
    last = index_[i];
  }
  if (std::size_t(last) > edges_.size())
    throw error(MPI_ERR_ARG, "the last index is " + std::to_string(last) + ", but there are " +
                                 std::to_string(edges_.size()) + " edges; it must be their number");
  for (const int edge : edges_)
    if (edge < 0 || edge >= places())
      throw error(MPI_ERR_ARG, "an edge leads to " + std::to_string(edge) + "; the graph has " +
                                   std::to_string(places()) + " nodes from 0 on");
}

std::span<const int> graph::neighbours(int rank) const {
  if (rank < 0 || rank >= places())
    throw error(MPI_ERR_RANK, "the rank is " + std::to_string(rank) + "; the graph has " +
                                  std::to_string(places()) + " nodes from 0 on");
  const int first = rank == 0 ? 0 : index_[std::size_t(rank) - 1];
  return std::span(edges_).subspan(std::size_t(first), std::size_t(index_[std::size_t(rank)] - first));
}

}  // namespace imbrex::mpi
