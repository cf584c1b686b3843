// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <imbrex/balance/internal/bin_loads.hpp>
#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/ordered_problem.hpp>
#include <imbrex/balance/internal/parts.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {
namespace {

void solve_by_curve(const stage& s, placement& places) {
  for (const region_objects& region : objects_of_regions(s, places))
    assign_parts(s, places, region, ends_along_curve(region));
  relieve_heavy_bins(s, places);
}

}  // namespace

std::vector<int> curve(const problem& p) {
  const ordered_problem ordered(p);
  return solve_by_stages(ordered.get(), solve_by_curve, acceptable_if_compact);
}

}  // namespace imbrex::balance::detail
