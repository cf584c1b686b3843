// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/imbrex.hpp>

#include "apps/minimd/block.hpp"
#include "apps/minimd/problem.hpp"

namespace minimd {

using blocks = imbrex::array<block>;

/// Gives the atoms of a new lattice the problem's velocities: those of miniMD's formula, without momentum and
/// at the problem's temperature; or what LAMMPS's commands make of atoms at rest.
imbrex::task<> make_velocities(const problem& what, blocks all);

}  // namespace minimd
