// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <imbrex/mpi/object/counted.hpp>

namespace imbrex::mpi {

/// The ranks from `first` to `last` in steps of `step`, as in MPI_Group_range_incl.
struct rank_range {
  int first, last, step;
};

/// An ordered list of ranks of MPI_COMM_WORLD: a value that is copied in O(1). Regular groups take O(1)
/// memory. Ranks outside of a group are refused with mpi::error (MPI_ERR_RANK).
class group {
 public:
  static constexpr int none = -1;

  group() = default;
  /// `count` consecutive ranks, starting at `first`.
  group(int first, int count) : first_(first), count_(count) {}
  /// The ranks in this order; each may occur once.
  explicit group(std::vector<int> world_ranks);

  int size() const { return count_; }
  /// The rank in MPI_COMM_WORLD of a rank in the group; 0 <= rank < size().
  int world_rank(int rank) const { return list_ ? list_->ranks[std::size_t(rank)] : first_ + step_ * rank; }
  /// The rank in the group of a rank of MPI_COMM_WORLD, or `none`. O(log size()); O(1) for a regular group.
  int rank_of(int world_rank) const;

  group including(std::span<const int> ranks) const;
  group excluding(std::span<const int> ranks) const;
  group including(std::span<const rank_range> ranges) const;
  group excluding(std::span<const rank_range> ranges) const;
  group joined(const group& other) const;  ///< own ranks first, then those only in `other`
  group common(const group& other) const;
  group without(const group& other) const;

  void write(auto& out) const {
    std::vector<int> ranks(list_ ? list_->ranks : std::vector<int>());
    out(first_, step_, count_, ranks);
  }
  void read(auto& in) {
    std::vector<int> ranks;
    in(first_, step_, count_, ranks);
    if (!ranks.empty()) *this = group(std::move(ranks));
  }

  /// `is_same`: equal ranks in equal order. `is_similar`: equal ranks in any order.
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
  std::shared_ptr<const list> list_;  ///< null for a regular group
};

/// The object behind a group's handle.
struct group_object : counted {
  explicit group_object(group g) : members(std::move(g)) {}
  group members;
};

}  // namespace imbrex::mpi
