// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "apps/minimd/problem.hpp"

namespace minimd {

/// What an input file asks for.
struct input {
  problem what{};
  std::int64_t steps = 100;
  std::int64_t thermo = 100;  ///< steps between outputs; 0: the first and last alone
  std::string potential_file{};
};

/// Reads an input file, of miniMD (in.lj.miniMD, in.eam.miniMD) or with those commands of LAMMPS that its
/// benchmarks of Lennard-Jones and of copper use; docs/particles.md lists them. What LAMMPS has without
/// `velocity`, `units`, `neighbor`, `neigh_modify` and `timestep` is so here. Throws imbrex::usage_error with
/// the line for all else, for values that cannot be, and for missing commands.
input parse_input(const std::string& text, const std::string& name);

}  // namespace minimd
