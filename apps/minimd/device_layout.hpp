// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace minimd {

// Structures in device memory besides positions, velocities and forces, which have four numbers an atom as in
// store.hpp. This header is C++17, for the device's compilers.

/// An atom whose position is sent to another block, or to an image in this block: its index in the store, and
/// how many times around the box the receiver sees it in each dimension.
struct halo_source {
  std::int32_t atom;
  std::int8_t wrap[3];
};

struct box_lengths {
  double of[3];
};

/// Buffers of the messages for consecutive values: message m holds values from end[m - 1] (or 0) to before
/// end[m], at at[m].
struct message_places {
  static constexpr int most = 26;  ///< limit of one launch: the blocks around a block
  int count;
  std::int32_t end[most];
  double* at[most];
};

/// The layout of neighbour lists on a device: rows of `slice` consecutive atoms have one length and are
/// interleaved. Neighbour k of atom i is entry begin[i / slice] + k * slice + i % slice. Unused entries hold
/// the index of the far-away atom.
inline constexpr std::size_t slice = 32;

struct lj_constants {
  double cutoff_squared, sigma_squared, force, energy;
};

/// The scale of an argument of a spline: converts it to an interval of the cubics, which have four numbers
/// each.
struct spline_scale {
  double intervals_in_unit;
  std::int32_t last_interval;
};

struct eam_constants {
  double cutoff_squared;
  spline_scale embedding, density, pair;
};

}  // namespace minimd
