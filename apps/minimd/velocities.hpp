// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/imbrex.hpp>

#include "apps/minimd/block.hpp"
#include "apps/minimd/problem.hpp"

namespace minimd {

using blocks = imbrex::array<block>;

/// Sets the velocities of a new lattice's atoms. Either miniMD's formula is used, without momentum and at the
/// problem's temperature, or LAMMPS's commands change atoms at rest.
imbrex::task<> make_velocities(const problem& what, blocks all);

}  // namespace minimd
