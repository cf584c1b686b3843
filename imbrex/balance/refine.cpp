// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <imbrex/balance/internal/bin_loads.hpp>
#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {

std::vector<int> refine(const problem& p) { return solve_by_stages(p, relieve_heavy_bins); }

}  // namespace imbrex::balance::detail
