// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "apps/minimd/problem.hpp"

namespace minimd {

/// The contents of an input file.
struct input {
  problem what{};
  std::int64_t steps = 100;
  std::int64_t thermo = 100;  ///< steps between outputs; 0: only first and last
  std::string potential_file{};
};

/// Reads an input file: miniMD's (in.lj.miniMD, in.eam.miniMD), or LAMMPS commands as in its Lennard-Jones
/// and copper benchmarks; docs/particles.md lists them. Without `velocity`, `units`, `neighbor`,
/// `neigh_modify` or `timestep`, LAMMPS's defaults hold. Throws imbrex::usage_error with the line for other
/// commands, invalid values and missing commands.
input parse_input(const std::string& text, const std::string& name);

}  // namespace minimd
