// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/group.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

group::group(std::vector<int> world_ranks) : count_(int(world_ranks.size())) {
  if (count_ == 0) return;
  first_ = world_ranks[0];
  step_ = count_ > 1 ? world_ranks[1] - world_ranks[0] : 1;
  for (int i = 2; i < count_; ++i)
    if (world_ranks[std::size_t(i)] != first_ + i * step_) {
      auto l = std::make_shared<list>();
      l->ranks = std::move(world_ranks);
      l->sorted.resize(l->ranks.size());
      std::iota(l->sorted.begin(), l->sorted.end(), 0);
      std::ranges::sort(l->sorted, {}, [&](int r) { return l->ranks[std::size_t(r)]; });
      list_ = std::move(l);
      return;
    }
}

int group::rank_of(int world_rank) const {
  if (count_ == 0) return none;
  if (!list_) {
    const int distance = world_rank - first_;
    if (distance % step_ != 0) return none;
    const int rank = distance / step_;
    return rank >= 0 && rank < count_ ? rank : none;
  }
  const auto world_of = [&](int r) { return list_->ranks[std::size_t(r)]; };
  const auto found = std::ranges::lower_bound(list_->sorted, world_rank, {}, world_of);
  return found != list_->sorted.end() && world_of(*found) == world_rank ? *found : none;
}

void group::check(int rank, const char* what) const {
  if (rank < 0 || rank >= count_)
    throw error(MPI_ERR_RANK, std::string(what) + " is " + std::to_string(rank) + "; the group has " +
                                  std::to_string(count_) + " ranks from 0 on");
}

std::vector<bool> group::marked(std::span<const int> ranks) const {
  std::vector<bool> is_named(std::size_t(count_), false);
  for (const int rank : ranks) {
    check(rank, "a rank");
    if (is_named[std::size_t(rank)])
      throw error(MPI_ERR_RANK, "the rank " + std::to_string(rank) + " is named twice; name it once");
    is_named[std::size_t(rank)] = true;
  }
  return is_named;
}

std::vector<int> group::expanded(std::span<const rank_range> ranges) const {
  std::vector<int> ranks;
  for (const rank_range& r : ranges) {
    if (r.step == 0)
      throw error(
          MPI_ERR_ARG,
          "the step of a range of ranks is 0; give 1 or another that leads from its first rank to its last");
    check(r.first, "the first rank of a range");
    if (r.step > 0 ? r.first > r.last : r.first < r.last)
      throw error(MPI_ERR_ARG, "no rank lies in the range from " + std::to_string(r.first) + " to " +
                                   std::to_string(r.last) + " by " + std::to_string(r.step) +
                                   "; give a step of the other sign");
    for (int rank = r.first; r.step > 0 ? rank <= r.last : rank >= r.last; rank += r.step) {
      check(rank, "a rank of a range");
      ranks.push_back(rank);
    }
  }
  return ranks;
}

group group::including(std::span<const int> ranks) const {
  marked(ranks);
  std::vector<int> chosen;
  chosen.reserve(ranks.size());
  for (const int rank : ranks) chosen.push_back(world_rank(rank));
  return group(std::move(chosen));
}

group group::excluding(std::span<const int> ranks) const {
  const std::vector<bool> is_left_out = marked(ranks);
  std::vector<int> chosen;
  for (int rank = 0; rank < count_; ++rank)
    if (!is_left_out[std::size_t(rank)]) chosen.push_back(world_rank(rank));
  return group(std::move(chosen));
}

group group::including(std::span<const rank_range> ranges) const {
  return including(std::span<const int>(expanded(ranges)));
}
group group::excluding(std::span<const rank_range> ranges) const {
  return excluding(std::span<const int>(expanded(ranges)));
}

group group::joined(const group& other) const {
  std::vector<int> chosen;
  for (int rank = 0; rank < count_; ++rank) chosen.push_back(world_rank(rank));
  for (int rank = 0; rank < other.count_; ++rank)
    if (rank_of(other.world_rank(rank)) == none) chosen.push_back(other.world_rank(rank));
  return group(std::move(chosen));
}

group group::common(const group& other) const {
  std::vector<int> chosen;
  for (int rank = 0; rank < count_; ++rank)
    if (other.rank_of(world_rank(rank)) != none) chosen.push_back(world_rank(rank));
  return group(std::move(chosen));
}

group group::without(const group& other) const {
  std::vector<int> chosen;
  for (int rank = 0; rank < count_; ++rank)
    if (other.rank_of(world_rank(rank)) == none) chosen.push_back(world_rank(rank));
  return group(std::move(chosen));
}

bool group::is_same(const group& other) const {
  if (count_ != other.count_) return false;
  for (int rank = 0; rank < count_; ++rank)
    if (world_rank(rank) != other.world_rank(rank)) return false;
  return true;
}

bool group::is_similar(const group& other) const {
  if (count_ != other.count_) return false;
  for (int rank = 0; rank < count_; ++rank)
    if (other.rank_of(world_rank(rank)) == none) return false;
  return true;
}

}  // namespace imbrex::mpi
