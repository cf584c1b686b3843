// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace jacobi3d {

/// The kernels of an iteration that a block on a device launches as one (Choi 2022, section 5.2.4). The
/// number of launches with n neighbours is in each line.
enum class kernel_fusion {
  none,  ///< 2n + 1: an unpack for each neighbour, the update, a pack for each neighbour
  a,     ///< n + 2: one pack
  b,     ///< 3: one unpack, too, when all faces have arrived
  c,     ///< 1: the update reads the received faces and writes the outgoing ones
};

/// The values of `--fusion`, in the order of the enumeration.
inline constexpr std::array<const char*, 4> fusion_names{"none", "a", "b", "c"};

inline const char* name(kernel_fusion kind) { return fusion_names[std::size_t(kind)]; }

}  // namespace jacobi3d
