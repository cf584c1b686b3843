// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/moldyn/grande.hpp"
#include "apps/moldyn/options.hpp"
#include "apps/moldyn/torus_block.hpp"

namespace moldyn {

/// What a run has come to.
struct measurement {
  std::int64_t odf = 0;
  std::string chares;  ///< "2 x 4"
  double milliseconds_per_cycle = 0;
  std::vector<energies> of_grande{};  ///< of all atoms, after the moves that are printed and the last
  torus::summary of_torus{};
  /// Of the torus: the seconds that a block takes in each part of a cycle, on average, and how many pairs
  /// within the cut-off its particles have, of the block with the least and the most.
  std::array<double, torus::part_names.size()> seconds_per_cycle{};
  std::int64_t least_interactions = 0, most_interactions = 0;
};

/// Runs the model on a machine of its own, with so many chares on each PE. Returns the runtime's exit status.
/// In a process other than the first of its job it only takes part, and `result` stays as it is. Throws
/// what `check_chares` does.
int measure(const settings& setup, std::int64_t odf, measurement& result);

/// Throws imbrex::usage_error if the cells cannot be cut for so many chares on each PE.
void check_chares(const settings& setup, std::int64_t odf);

/// Into how many blocks in each dimension `chares` cut a grid, with the least surface between them. Throws
/// imbrex::usage_error, with the numbers, if there is no such cut.
imbrex::index<2> blocks_of(const imbrex::index<2>& cells, std::int64_t chares);
imbrex::index<3> blocks_of(const imbrex::index<3>& cells, std::int64_t chares);

}  // namespace moldyn
