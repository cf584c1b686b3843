// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/balance/internal/placement.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {

/// Places [first, last) of the curve, whose objects are all of one bin.
struct run {
  std::uint32_t first;
  std::uint32_t last;
};

/// The loads of bins while objects move between them, with access to the lightest bin of each region.
class bin_loads {
 public:
  bin_loads(const stage& s, placement& places);

  /// The load of the bin over its speed.
  double time(int bin) const { return time_[at(bin)]; }
  /// The time that the bins of a region take if all that can move is spread evenly.
  double target(int region) const { return target_[at(region)]; }
  double target_of_bin(int bin) const { return target(region_of(bin)); }
  /// The most that a bin should take.
  double limit_of_bin(int bin) const { return target_of_bin(bin) * (1 + stage_.tolerance); }
  bool is_heavy(int bin) const { return time(bin) > limit_of_bin(bin); }
  int lightest(int region) const { return heap_[stage_.bins_of_region.start(at(region))]; }
  int region_of(int bin) const { return stage_.region_of_bin[at(bin)]; }
  double speed(int bin) const { return stage_.speed[at(bin)]; }
  /// The bin's time if a load is added.
  double time_with(int bin, double load) const { return time(bin) + load / speed(bin); }

  /// Bins above their limit, the busiest first.
  std::vector<int> heavy() const;
  /// The movable objects of each of these bins, in the order of their numbers.
  std::vector<std::vector<std::uint32_t>> objects_of(const std::vector<int>& bins) const;
  /// The runs of movable objects of each of these bins, in the order of the curve.
  std::vector<std::vector<run>> runs_of(const std::vector<int>& bins) const;

  /// Moves an object to the least loaded PE of a bin. False if a device has no room for it.
  bool move(std::uint32_t object, int to);

 private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }
  void set_targets();
  std::vector<int> lists_of_pes(const std::vector<int>& bins) const;
  template <class IsMovable>
  std::vector<std::vector<run>> find_runs(const std::vector<int>& bins, const IsMovable& is_movable) const;
  void add(int pe, double load);
  int lightest_pe(int bin) const;
  void sift_up(std::size_t first, std::size_t place);
  void sift_down(std::size_t first, std::size_t count, std::size_t place);
  void restore_order(int bin);

  const stage& stage_;
  placement& places_;
  std::vector<double>& pe_load_;    ///< loads of PEs, which `placement` has
  std::vector<double> time_;        ///< time of each bin
  std::vector<double> target_;      ///< target of each region
  std::vector<int> heap_;           ///< the bins of each region as a heap, the lightest first
  std::vector<std::size_t> place_;  ///< place of each bin in the heap of its region
};

/// Sorts objects by their loads, the heaviest first; equal ones by their numbers.
void sort_heaviest_first(std::vector<std::uint32_t>& objects, const stage& s);

/// Moves objects of heavy bins, the heaviest first, to the lightest bins. No bin becomes busier than the one
/// that gives.
void relieve(bin_loads& loads, const std::vector<int>& heavy,
             std::vector<std::vector<std::uint32_t>>& objects, const stage& s);

/// Relieves all heavy bins of a stage: by single moves, then by exchanges of two objects.
void relieve_heavy_bins(const stage& s, placement& places);

/// The time that the bins take if `movable` load is spread over them as evenly as what they have permits.
double level_of(std::vector<double> fixed, const std::vector<double>& speeds, double movable);

}  // namespace imbrex::balance::detail
