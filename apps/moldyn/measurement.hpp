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

/// The results of a run.
struct measurement {
  std::int64_t odf = 0;
  std::string chares;  ///< "2 x 4"
  double milliseconds_per_cycle = 0;
  std::vector<energies> of_grande{};  ///< sums over all atoms, after the printed moves and the last one
  torus::summary of_torus{};
  /// Results of the torus. Mean seconds of a block in each part of a cycle; numbers of pairs within the
  /// cut-off in the blocks with the fewest and the most pairs.
  std::array<double, torus::part_names.size()> seconds_per_cycle{};
  std::int64_t least_interactions = 0, most_interactions = 0;
};

/// Runs the model on a new machine, with `odf` chares on each PE. Returns the runtime's exit status. All
/// processes of a job take part; only the first one sets `result`. Throws the exceptions of `check_chares`.
int measure(const settings& setup, std::int64_t odf, measurement& result);

/// Throws imbrex::usage_error if the cells cannot be divided among `odf` chares on each PE.
void check_chares(const settings& setup, std::int64_t odf);

/// The number of blocks in each dimension for `chares` blocks of a grid with the least surface between them.
/// Throws imbrex::usage_error, with the numbers, if there is no such division.
imbrex::index<2> blocks_of(const imbrex::index<2>& cells, std::int64_t chares);
imbrex::index<3> blocks_of(const imbrex::index<3>& cells, std::int64_t chares);

}  // namespace moldyn
