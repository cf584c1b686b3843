// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace jacobi3d {

/// What a PE computes while halos travel.
enum class overlap_mode {
  none,       ///< nothing: it has one chare, which is swept when all its halos have come
  manual,     ///< the interior of its one chare, whose outermost cells wait for the halos
  automatic,  ///< whichever of its chares have their halos
};

/// What `--overlap` calls them, in their order.
inline constexpr std::array<const char*, 3> overlap_names{"none", "manual", "auto"};

inline const char* name(overlap_mode mode) { return overlap_names[std::size_t(mode)]; }

}  // namespace jacobi3d
