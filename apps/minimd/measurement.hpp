// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/minimd/options.hpp"
#include "apps/minimd/thermo.hpp"

namespace minimd {

/// All atoms at a step and the problem: the contents of a restart file.
struct restart_file {
  problem what;
  std::int64_t step = 0;
  std::vector<atom> atoms;  ///< by id
};

/// The results of a run.
struct measurement {
  imbrex::index<3> chares{};
  double seconds = 0;  ///< time of all steps, without the initial state and the output of atoms
  std::int64_t steps = 0;
  std::vector<thermo> outputs{};
  restart_file last{};  ///< only if a restart file is written

  double atom_steps_per_second(const problem& what) const {
    return seconds > 0 ? static_cast<double>(what.atoms()) * static_cast<double>(steps) / seconds : 0;
  }
};

/// The number of blocks in each dimension, with `odf` chares on each PE. Throws imbrex::usage_error if the
/// box cannot be cut so.
imbrex::index<3> chares_of(const settings& setup, std::int64_t odf);

/// Called at each output, with all atoms by id if they are dumped.
using output_function = std::function<void(const thermo&, const std::vector<atom>&)>;

/// Runs the problem on a machine of its own, with `odf` chares on each PE; continues from `from` unless null.
/// Returns the runtime's exit status. `result` is filled only in the job's first process. Throws as
/// `chares_of` does.
int measure(const settings& setup, std::int64_t odf, const restart_file* from, const output_function& output,
            measurement& result);

}  // namespace minimd
