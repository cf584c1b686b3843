// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace imbrex::mpi {

/// The arithmetic of a grid of ranks; the last dimension varies fastest.
class cartesian {
 public:
  /// Throws mpi::error (MPI_ERR_DIMS) if a length is not positive. A grid without dimensions has one place.
  cartesian(std::vector<int> lengths, std::vector<bool> periodic);

  const std::vector<int>& lengths() const { return lengths_; }
  bool is_periodic(std::size_t dimension) const { return periodic_[dimension]; }
  int places() const { return places_; }

  /// Throws mpi::error (MPI_ERR_RANK) if coordinates lie outside of a dimension that is not periodic.
  int rank_of(std::span<const int> coordinates) const;
  std::vector<int> coordinates_of(int rank) const;

  /// Source and destination of a shift along a dimension; MPI_PROC_NULL beyond an edge. Throws mpi::error
  /// (MPI_ERR_ARG) if the dimension does not exist.
  std::pair<int, int> shift(int rank, int dimension, int distance) const;

  /// The grid of the kept dimensions; the index of the grid that `rank` is in, and its place there.
  cartesian part(const std::vector<bool>& kept) const;
  std::pair<int, int> place_in_part(int rank, const std::vector<bool>& kept) const;

  /// Neighbours of a rank in neighbourhood collectives: along each dimension down, then up.
  std::vector<int> neighbours(int rank) const;
  /// The member at each place, if member m is on node `node_of[m]`: the members of each node get a box of
  /// neighbouring places, where that leaves fewer neighbours on other nodes. There are as many members as
  /// places.
  std::vector<int> members_by_place(std::span<const int> node_of) const;
  const std::vector<bool>& periodic() const { return periodic_; }

 private:
  int moved(const std::vector<int>& from, std::size_t dimension, std::int64_t distance) const;

  std::vector<int> lengths_;
  std::vector<bool> periodic_;
  int places_ = 1;
};

}  // namespace imbrex::mpi
