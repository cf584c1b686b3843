// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <imbrex/balance/internal/placement.hpp>
#include <imbrex/balance/problem.hpp>

namespace imbrex::balance::detail {

/// Lists of numbers, one list for each of several owners, in one array.
class lists {
 public:
  lists() = default;
  /// The numbers 0, 1, ... by their owners; -1: in no list. Each list is in order.
  lists(std::span<const int> owners, std::size_t count);

  std::size_t size() const { return start_.empty() ? 0 : start_.size() - 1; }
  std::span<const int> operator[](std::size_t owner) const {
    return std::span(numbers_).subspan(start_[owner], start_[owner + 1] - start_[owner]);
  }
  /// Where the list begins in an array of all lists.
  std::size_t start(std::size_t owner) const { return start_[owner]; }

 private:
  std::vector<std::size_t> start_;
  std::vector<int> numbers_;
};

/// One step of a strategy: objects move between the bins of a region, by one load each. Bins are nodes,
/// devices or PEs; an object is in the bin of its PE.
struct stage {
  const problem& of;
  std::span<const double> load;  ///< load of each object; never empty
  std::span<const role> roles;   ///< part of each object; empty: all are movable
  bool counts_all;               ///< no object is absent
  double tolerance;              ///< the share of its target by which a bin may exceed it
  std::vector<int> bin_of_pe;    ///< -1: the PE is in no bin
  std::vector<int> region_of_bin{};
  std::vector<double> speed{};  ///< speed of each bin
  lists pes_of_bin{};
  lists bins_of_region{};

  std::size_t bins() const { return region_of_bin.size(); }
  std::size_t regions() const { return bins_of_region.size(); }
  int bin_of(int pe) const { return bin_of_pe[static_cast<std::size_t>(pe)]; }
  /// For `placement::loads_of_pes`.
  std::span<const role> counted() const { return counts_all ? std::span<const role>() : roles; }
  bool is_movable(std::size_t object) const { return roles.empty() || roles[object] == role::movable; }
};

/// Moves the movable objects of a stage between the bins of their regions. Objects of no bin stay.
using stage_solver = void (*)(const stage& s, placement& places);

/// Solves a problem by stages: first the devices, nodes before the devices in them, then the PEs of each
/// device, then the objects without device loads: nodes before the PEs in them. Objects stay where they are
/// if that is worse: if the busiest device is busier than before, or is not less busy and the busiest PE is
/// busier. Up to `acceptable` times the average is never worse.
std::vector<int> solve_by_stages(const problem& p, stage_solver solve, double acceptable = 1);

/// The acceptable excess of strategies that keep objects together.
inline constexpr double acceptable_if_compact = 1.05;

}  // namespace imbrex::balance::detail
