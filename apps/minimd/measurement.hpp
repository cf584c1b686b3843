// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/minimd/options.hpp"
#include "apps/minimd/thermo.hpp"

namespace minimd {

/// All atoms at a step, and what is simulated: a file that a run can go on from.
struct restart_file {
  problem what;
  std::int64_t step = 0;
  std::vector<atom> atoms;  ///< by id
};

/// What a run has come to.
struct measurement {
  imbrex::index<3> chares{};
  double seconds = 0;  ///< for all steps, without the initial state and outputs of atoms
  std::int64_t steps = 0;
  std::vector<thermo> outputs{};
  restart_file last{};  ///< if a restart file is to be written

  double atom_steps_per_second(const problem& what) const {
    return seconds > 0 ? static_cast<double>(what.atoms()) * static_cast<double>(steps) / seconds : 0;
  }
};

/// Into how many blocks the box is cut, with so many chares on each PE. Throws imbrex::usage_error if it
/// cannot be.
imbrex::index<3> chares_of(const settings& setup, std::int64_t odf);

/// Called at each output, with all atoms by id if they are to be dumped.
using output_function = std::function<void(const thermo&, const std::vector<atom>&)>;

/// Runs the problem on a machine of its own, with so many chares on each PE, from `from` on if there is one.
/// Returns the runtime's exit status. In a process other than the first of its job it only takes part. Throws
/// what `chares_of` does.
int measure(const settings& setup, std::int64_t odf, const restart_file* from, const output_function& output,
            measurement& result);

}  // namespace minimd
