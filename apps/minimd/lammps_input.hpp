// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apps/minimd/input.hpp"

namespace minimd {

/// Sets the units, and the time step and the skin that LAMMPS and miniMD have with them.
void use_units(problem& what, unit_system units);

/// Reads a file with commands of LAMMPS, as `parse_input` says.
input parse_lammps_input(const std::string& text, const std::string& name);

}  // namespace minimd
