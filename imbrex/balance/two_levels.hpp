// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance {

// Many objects on many PEs are balanced in two levels: runs of objects move between groups of PEs, then
// objects within each group. A run of the program does this in parallel, `solve_in_two_levels` does all of it
// at once; both find the same solution.

/// The solution of a problem by a strategy.
using solver = std::function<std::vector<int>(const problem&)>;

/// The number of PEs from which machines are balanced in two levels: a machine of 16 groups of 16 PEs. With
/// fewer, the groups save less time than their messages take.
inline constexpr int pes_of_two_levels = 256;

/// The number of objects above which the library's strategies balance in two levels: to solve the problem at
/// once takes 8 ms (31 ns an object), and the loads are 4 MB. With fewer objects one level is better, as it
/// moves half as many, and evens out objects that are large for a PE.
inline constexpr std::size_t objects_of_two_levels = std::size_t{1} << 18U;

/// Consecutive PEs that solve a problem of their own.
struct pe_groups {
  std::vector<int> first;  ///< first PE of each group, ascending from 0; empty: the machine is not grouped
  int pes = 0;

  int size() const { return static_cast<int>(first.size()); }
  bool empty() const { return first.empty(); }
  int end(int group) const { return group + 1 < size() ? first[static_cast<std::size_t>(group) + 1] : pes; }
  int of(int pe) const;
  bool holds(int group, int pe) const {
    return first[static_cast<std::size_t>(group)] <= pe && pe < end(group);
  }
};

/// Groups of about as many PEs as there are groups: parts of nodes, or whole nodes that follow each other.
/// Empty for machines of fewer than `pes_of_two_levels` PEs, and where PEs that follow each other are not on
/// the same node. `node`: of each PE; empty: all are on one. O(PEs).
pe_groups groups_of(int pes, std::span<const int> node);

/// A run of objects along the curve, which moves between groups as a whole.
struct object_run {
  std::uint64_t place = 0;  ///< the first object's place on the curve
  double load = 0;
  std::uint64_t bytes = 0;
  std::array<float, problem::most_dimensions> middle{};  ///< mean of the objects' coordinates
  bool is_movable = true;

  void serialize(auto& ar) { ar(place, load, bytes, middle, is_movable); }
};

/// The objects of a group, cut into runs.
struct object_runs {
  std::vector<object_run> runs;
  std::vector<std::uint32_t> run_of;  ///< for each object
};

/// Cuts the objects of a problem along the curve into about `count` runs of equal load, and shorter ones at
/// both ends, where most objects leave: groups can be as even as single objects permit. Objects that must
/// stay in their group are in a run that must: those that are not movable, or have device memory.
/// O(objects).
object_runs cut_into_runs(const problem& p, int count);

/// The number of runs into which a group of so many PEs cuts its objects.
int runs_of_group(int pes);

/// Solves the problem of runs: returns the group of each. `runs`: those of all groups, in the order of
/// groups; `on`: the PEs of the machine.
std::vector<int> solve_between_groups(const solver& solve, const pe_groups& groups,
                                      std::span<const std::vector<object_run>> runs, const machine& on,
                                      std::uint64_t seed);

/// Solves the problem of the objects of a group. They may be on any PE of the machine before; returns PEs of
/// the group.
std::vector<int> solve_within_group(const solver& solve, const pe_groups& groups, int group,
                                    const problem& p);

/// Solves a whole problem in two levels.
std::vector<int> solve_in_two_levels(const solver& solve, const pe_groups& groups, const problem& p);

}  // namespace imbrex::balance
