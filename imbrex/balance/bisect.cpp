// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <imbrex/balance/curve_order.hpp>
#include <imbrex/balance/internal/bin_loads.hpp>
#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/parts.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {
namespace {

/// Recursive bisection of the objects of a region.
class bisection {
 public:
  bisection(const problem& p, region_objects& region)
      : problem_(p), region_(region), weight_(region.weight), end_(region.bins.size()) {}

  /// The ends of the parts; the objects are put into the order of the parts.
  std::vector<std::size_t> run() && {
    part(0, region_.objects.size(), 0, region_.bins.size());
    return std::move(end_);
  }

 private:
  static constexpr std::size_t few_objects = 16;

  float coordinate(std::uint32_t object, std::size_t dimension) const {
    return problem_.coordinates[object * static_cast<std::size_t>(problem_.dimensions) + dimension];
  }

  /// Cuts the objects [first, last) into a part for each bin of [first_bin, last_bin).
  void part(std::size_t first, std::size_t last, std::size_t first_bin, std::size_t last_bin) {
    if (last_bin - first_bin == 1) {
      end_[first_bin] = last;
      return;
    }
    const std::size_t middle_bin = first_bin + (last_bin - first_bin) / 2;
    const double left = capacity(first_bin, middle_bin), right = capacity(middle_bin, last_bin);
    double load = 0;
    for (std::size_t k = first; k < last; ++k) load += weight_(region_.objects[k]);
    const double share = left + right > 0 ? left / (left + right) : 0;
    const std::size_t middle = split(first, last, longest(first, last), load * share);
    part(first, middle, first_bin, middle_bin);
    part(middle, last, middle_bin, last_bin);
  }

  double capacity(std::size_t first, std::size_t last) const {
    double sum = 0;
    for (std::size_t bin = first; bin < last; ++bin) sum += region_.capacity[bin];
    return sum;
  }

  /// The dimension in which the objects extend most.
  std::size_t longest(std::size_t first, std::size_t last) const {
    std::size_t longest = 0;
    float extent = -1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(problem_.dimensions) && first < last; ++d) {
      float least = coordinate(region_.objects[first], d), most = least;
      for (std::size_t k = first; k < last; ++k) {
        least = std::min(least, coordinate(region_.objects[k], d));
        most = std::max(most, coordinate(region_.objects[k], d));
      }
      if (most - least > extent) {
        extent = most - least;
        longest = d;
      }
    }
    return longest;
  }

  /// Orders by a dimension; objects of equal coordinates by the next dimensions, at last by their numbers.
  bool precedes(std::uint32_t a, std::uint32_t b, std::size_t dimension) const {
    const auto dimensions = static_cast<std::size_t>(problem_.dimensions);
    for (std::size_t k = 0; k < dimensions; ++k) {
      const std::size_t d = (dimension + k) % dimensions;
      if (coordinate(a, d) != coordinate(b, d)) return coordinate(a, d) < coordinate(b, d);
    }
    return a < b;
  }

  /// The middle of the first, the last and the middle object.
  template <class Less>
  std::uint32_t median(std::size_t first, std::size_t last, const Less& less) const {
    const std::uint32_t a = region_.objects[first], b = region_.objects[first + (last - first) / 2],
                        c = region_.objects[last - 1];
    return std::max(std::min(a, b, less), std::min(std::max(a, b, less), c, less), less);
  }

  /// Orders the objects so that those before the returned place have the load, up to half an object.
  /// O(objects) on average.
  std::size_t split(std::size_t first, std::size_t last, std::size_t dimension, double load) {
    const auto objects = region_.objects.begin();
    const auto iterator = [&](std::size_t k) { return objects + static_cast<std::ptrdiff_t>(k); };
    const auto less = [&](std::uint32_t a, std::uint32_t b) { return precedes(a, b, dimension); };
    double before = 0;
    while (last - first > few_objects) {
      const std::uint32_t pivot = median(first, last, less);
      double lower = 0;
      const auto end = std::partition(iterator(first), iterator(last), [&](std::uint32_t i) {
        const bool is_lower = less(i, pivot);
        if (is_lower) lower += weight_(i);
        return is_lower;
      });
      const auto middle = static_cast<std::size_t>(end - objects);
      if (before + lower > load) {
        last = middle;
      } else {
        before += lower;
        first = middle;
      }
    }
    std::sort(iterator(first), iterator(last), less);
    while (first < last && before + weight_(region_.objects[first]) / 2 <= load)
      before += weight_(region_.objects[first++]);
    return first;
  }

  const problem& problem_;
  region_objects& region_;
  const weights& weight_;
  std::vector<std::size_t> end_;
};

void solve_by_bisect(const stage& s, placement& places) {
  for (region_objects& region : objects_of_regions(s, places)) {
    const std::vector<std::size_t> end = bisection(s.of, region).run();
    assign_parts(s, places, region, end);
  }
  relieve_heavy_bins(s, places);
}

}  // namespace

std::vector<int> bisect(const problem& p) {
  if (p.dimensions == 0) return curve(p);  // both cut the order of the objects' numbers
  problem ordered = p;
  std::vector<std::uint32_t> order(p.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  ordered.curve = order;
  return solve_by_stages(ordered, solve_by_bisect, acceptable_if_compact);
}

}  // namespace imbrex::balance::detail
