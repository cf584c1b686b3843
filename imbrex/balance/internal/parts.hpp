// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <imbrex/balance/internal/placement.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {

/// The weights of the movable objects of a region: their loads, or 1 each if none has a load.
class weights {
 public:
  weights(std::span<const double> load, const std::vector<std::uint32_t>& objects);
  weights(weights&&) noexcept = default;
  weights& operator=(weights&&) noexcept = default;

  double operator()(std::uint32_t object) const { return weight_[object]; }
  bool counts_objects() const { return !ones_.empty(); }
  /// The sum of all.
  double total() const { return total_; }

 private:
  std::vector<double> ones_;
  const double* weight_;
  double total_ = 0;
};

/// The movable objects of a region, to be cut into one part for each bin.
struct region_objects {
  std::vector<std::uint32_t> objects;  ///< in the order of the curve
  weights weight;
  std::span<const int> bins;
  std::vector<double> capacity;  ///< weight for each bin: together that of the objects
};

/// The movable objects of each region.
std::vector<region_objects> objects_of_regions(const stage& s, const placement& places);

/// The ends of parts that have the capacities, in the order of the objects; an object belongs to the part
/// that has its middle.
std::vector<std::size_t> ends_along_curve(const region_objects& region);

/// Moves the objects of a region to bins. The objects of part k lie at [end[k - 1], end[k]) and are as many
/// as fit the capacity of bin k. Parts of about equal capacities exchange their bins so that most objects
/// stay in the bin of the problem.
void assign_parts(const stage& s, placement& places, const region_objects& region,
                  std::span<const std::size_t> end);

}  // namespace imbrex::balance::detail
