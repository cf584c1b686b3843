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

/// The messages that values go to, or come from, one after the other: that up to `end` of them, and from the
/// `end` before, lies there.
struct message_places {
  static constexpr int most = 26;  ///< of one launch: the blocks around a block
  int count;
  std::int32_t end[most];
  double* at[most];
};

/// The list of neighbours of a device: so many atoms, one after the other, have rows of one length, and lie
/// side by side: neighbour k of atom i is entry begin[i / slice] + k * slice + i % slice. What is too much
/// for an atom is the atom that is far away.
inline constexpr std::size_t slice = 32;

struct lj_constants {
  double cutoff_squared, sigma_squared, force, energy;
};

/// Where in a spline's cubics, of which each interval has four numbers, a place lies.
struct spline_scale {
  double intervals_in_unit;
  std::int32_t last_interval;
};

struct eam_constants {
  double cutoff_squared;
  spline_scale embedding, density, pair;
};

}  // namespace minimd
