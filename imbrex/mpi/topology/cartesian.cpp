// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/topology/cartesian.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/core/extension/index.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

cartesian::cartesian(std::vector<int> lengths, std::vector<bool> periodic)
    : lengths_(std::move(lengths)), periodic_(std::move(periodic)) {
  for (const int length : lengths_) {
    if (length < 1)
      throw error(MPI_ERR_DIMS,
                  "a dimension has " + std::to_string(length) + " places; it must have at least 1");
    if (__builtin_mul_overflow(places_, length, &places_))
      throw error(MPI_ERR_DIMS, "the grid has more places than an int can count; give shorter dimensions");
  }
}

int cartesian::rank_of(std::span<const int> coordinates) const {
  int rank = 0;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const int length = lengths_[i];
    int c = coordinates[i];
    if (periodic_[i])
      c = (c % length + length) % length;
    else if (c < 0 || c >= length)
      throw error(MPI_ERR_RANK, "the coordinate " + std::to_string(c) + " lies outside of the dimension " +
                                    std::to_string(i) + ", which has " + std::to_string(length) +
                                    " places and is not periodic; give one inside");
    rank = rank * length + c;
  }
  return rank;
}

std::vector<int> cartesian::coordinates_of(int rank) const {
  std::vector<int> coordinates(lengths_.size());
  for (std::size_t i = lengths_.size(); i-- > 0; rank /= lengths_[i]) coordinates[i] = rank % lengths_[i];
  return coordinates;
}

int cartesian::moved(const std::vector<int>& from, std::size_t dimension, std::int64_t distance) const {
  const std::int64_t length = lengths_[dimension];
  std::int64_t c = from[dimension] + distance;
  if (!periodic_[dimension] && (c < 0 || c >= length)) return MPI_PROC_NULL;
  c = (c % length + length) % length;
  std::vector<int> to = from;
  to[dimension] = int(c);
  return rank_of(to);
}

std::pair<int, int> cartesian::shift(int rank, int dimension, int distance) const {
  if (dimension < 0 || std::size_t(dimension) >= lengths_.size())
    throw error(MPI_ERR_ARG, "the direction is " + std::to_string(dimension) + "; the grid has " +
                                 std::to_string(lengths_.size()) + " dimensions from 0 on");
  const std::vector<int> here = coordinates_of(rank);
  return {moved(here, std::size_t(dimension), -std::int64_t(distance)),
          moved(here, std::size_t(dimension), distance)};
}

cartesian cartesian::part(const std::vector<bool>& kept) const {
  std::vector<int> lengths;
  std::vector<bool> periodic;
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    if (kept[i]) {
      lengths.push_back(lengths_[i]);
      periodic.push_back(periodic_[i]);
    }
  return {std::move(lengths), std::move(periodic)};
}

std::pair<int, int> cartesian::place_in_part(int rank, const std::vector<bool>& kept) const {
  const std::vector<int> here = coordinates_of(rank);
  int which = 0, place = 0;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    int& number = kept[i] ? place : which;
    number = number * lengths_[i] + here[i];
  }
  return {which, place};
}

std::vector<int> cartesian::neighbours(int rank) const {
  std::vector<int> all;
  for (int dimension = 0; std::size_t(dimension) < lengths_.size(); ++dimension) {
    const auto [down, up] = shift(rank, dimension, 1);
    all.push_back(down);
    all.push_back(up);
  }
  return all;
}

std::vector<int> cartesian::members_by_place(std::span<const int> node_of) const {
  std::vector<int> members(node_of.size());
  std::iota(members.begin(), members.end(), 0);
  std::vector<int> by_node = members;
  std::ranges::sort(by_node, {}, [&](int m) { return std::pair(node_of[static_cast<std::size_t>(m)], m); });
  std::vector<int> starts;
  for (std::size_t m = 0; m < by_node.size(); ++m)
    if (m == 0 ||
        node_of[static_cast<std::size_t>(by_node[m])] != node_of[static_cast<std::size_t>(by_node[m - 1])])
      starts.push_back(static_cast<int>(m));
  const auto bricks = extension::lengths_of_bricks(lengths_, places_, starts);
  if (!bricks.is_cut(lengths_)) return members;
  const auto order = extension::order_of_bricks(lengths_, bricks);
  for (std::size_t place = 0; place < order.size(); ++place) members[place] = by_node[order[place]];
  return members;
}

}  // namespace imbrex::mpi
