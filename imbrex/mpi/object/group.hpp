// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <imbrex/mpi/object/counted.hpp>

namespace imbrex::mpi {

/// From the rank `first` to `last` by steps, as MPI_Group_range_incl takes it.
struct rank_range {
  int first, last, step;
};

/// Ranks of MPI_COMM_WORLD in an order: a value that is copied in O(1). Regular groups take O(1) of memory.
/// Ranks that a group does not have are refused as mpi::error (MPI_ERR_RANK).
class group {
 public:
  static constexpr int none = -1;

  group() = default;
  /// `count` ranks from `first` on.
  group(int first, int count) : first_(first), count_(count) {}
  /// These, each once.
  explicit group(std::vector<int> world_ranks);

  int size() const { return count_; }
  /// The rank in MPI_COMM_WORLD of one of the group; 0 <= rank < size().
  int world_rank(int rank) const { return list_ ? list_->ranks[std::size_t(rank)] : first_ + step_ * rank; }
  /// The rank in the group of one of MPI_COMM_WORLD, or `none`. O(log size()), of a regular group O(1).
  int rank_of(int world_rank) const;

  group including(std::span<const int> ranks) const;
  group excluding(std::span<const int> ranks) const;
  group including(std::span<const rank_range> ranges) const;
  group excluding(std::span<const rank_range> ranges) const;
  group joined(const group& other) const;  ///< with those of the other that are not in it behind
  group common(const group& other) const;
  group without(const group& other) const;

  /// The same ranks in the same order; the same ranks.
  bool is_same(const group& other) const;
  bool is_similar(const group& other) const;

 private:
  struct list {
    std::vector<int> ranks;
    std::vector<int> sorted;  ///< indices of `ranks` by ascending rank
  };
  void check(int rank, const char* what) const;
  std::vector<int> expanded(std::span<const rank_range> ranges) const;
  std::vector<bool> marked(std::span<const int> ranks) const;

  int first_ = 0;
  int step_ = 1;
  int count_ = 0;
  std::shared_ptr<const list> list_;  ///< null if first_ and step_ say it all
};

/// What a handle of a group stands for.
struct group_object : counted {
  explicit group_object(group g) : members(std::move(g)) {}
  group members;
};

}  // namespace imbrex::mpi
