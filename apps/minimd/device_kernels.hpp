// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device_span.hpp>
#include <imbrex/kernel.hpp>

#include "apps/minimd/device_layout.hpp"

namespace minimd {

// For n own atoms, velocities and forces have 4 n numbers. Positions continue with those of copies and of the
// far-away atom.

/// Adds the first factor (kick) times the forces to velocities, then the second (drift) times the new
/// velocities to positions.
extern const imbrex::kernel<imbrex::device_span<double>, imbrex::device_span<double>,
                            imbrex::device_span<const double>, double, double>
    advance_atoms;

/// Adds the factor times the forces to velocities.
extern const imbrex::kernel<imbrex::device_span<double>, imbrex::device_span<const double>, double>
    kick_velocities;

/// Writes the positions of sources into messages, three numbers each.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const halo_source>,
                            message_places, box_lengths>
    pack;

/// Reads positions from messages into those of copies.
extern const imbrex::kernel<message_places, imbrex::device_span<double>> unpack;

/// Updates copies that are images of own atoms and need no message.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const halo_source>,
                            imbrex::device_span<double>, box_lengths>
    copy_images;

/// Computes Lennard-Jones forces on own atoms. The list is in slices: the beginning of each, with the end of
/// the last, and the entries.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<double>,
                            lj_constants>
    lj_forces_of_list;

/// Computes forces, and two sums for each own atom: the potential energy of its pairs, and force times
/// distance. Each pair is counted twice.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<double>,
                            imbrex::device_span<double>, lj_constants>
    lj_forces_and_sums_of_list;

}  // namespace minimd
