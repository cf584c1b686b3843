// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace jacobi3d {

/// The work of a PE while halos are in flight.
enum class overlap_mode {
  none,       ///< no work: it has one chare, swept when all its halos have arrived
  manual,     ///< the interior of its one chare, whose outermost cells wait for the halos
  automatic,  ///< chares that have their halos
};

/// The values of `--overlap`, in the order of the enumeration.
inline constexpr std::array<const char*, 3> overlap_names{"none", "manual", "auto"};

inline const char* name(overlap_mode mode) { return overlap_names[std::size_t(mode)]; }

}  // namespace jacobi3d
