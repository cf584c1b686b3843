// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <imbrex/core/name/index.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex {

/// The costs of an iteration for blocks of a grid that exchange their faces. Times are those of a PE.
struct block_costs {
  double cell_seconds = 0;     ///< to update one cell
  double face_cell_bytes = 8;  ///< bytes for each cell of a face, in a message
  double block_seconds = 0;    ///< for each block, beside its cells and messages
};

/// The expected time of an iteration with an overdecomposition factor.
struct odf_estimate {
  int odf = 1;         ///< overdecomposition factor: blocks for each PE
  double seconds = 0;  ///< expected time of an iteration
};

/// Estimates the time of an iteration with the factors 1, 2, 4, 8 and 16, as far as the grid can be cut into
/// so many blocks. Some iterations of up to 64 PEs are played through, with the costs of messages that the
/// settings give: those of `--net-latency` and similar options, of the device model in simulated time, or
/// else those of PEs of one host. Takes some milliseconds. `pes`: of all processes. Throws imbrex::error for
/// a grid without cells, costs below 0, or no PEs.
std::vector<odf_estimate> estimate_odfs(const options& settings, int pes, const index<3>& grid,
                                        const block_costs& costs);

/// The factor with the shortest estimate: the smallest one among those within a hundredth of it; 1 if there
/// is none.
int best_odf(std::span<const odf_estimate> all);

/// The best of `estimate_odfs`.
int suggest_odf(const options& settings, int pes, const index<3>& grid, const block_costs& costs);

}  // namespace imbrex
