// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace minimd {

// What lies in a device's memory beside positions, velocities and forces, of which an atom has four numbers
// as in store.hpp. This header is C++17, for the device's compilers.

/// An atom whose position another block gets, or this one as an image: its place in the store, and how many
/// times around the box it is seen in each dimension.
struct halo_source {
  std::int32_t atom;
  std::int8_t wrap[3];
};

struct box_lengths {
  double of[3];
};

/// The list of neighbours of a device: so many atoms, one after the other, have rows of one length, and lie
/// side by side: neighbour k of atom i is entry begin[i / slice] + k * slice + i % slice. What is too much
/// for an atom is the atom that is far away.
inline constexpr std::size_t slice = 32;

struct lj_constants {
  double cutoff_squared, sigma_squared, force, energy;
};

}  // namespace minimd
