// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/kernel.hpp>

#include "apps/minimd/device_layout.hpp"

namespace minimd {

// Of n atoms velocities and forces have 4 n numbers; positions have those of copies behind them, and of the
// atom that is far away.

/// Velocities change by `kick` times the forces, and positions by `drift` times the velocities then.
extern const imbrex::kernel<imbrex::device_span<double>, imbrex::device_span<double>,
                            imbrex::device_span<const double>, double, double>
    advance_atoms;

/// Velocities change by so many times the forces.
extern const imbrex::kernel<imbrex::device_span<double>, imbrex::device_span<const double>, double>
    kick_velocities;

/// Three numbers for each source go into messages.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const halo_source>,
                            message_places, box_lengths>
    pack;

/// They come from these, to positions of copies.
extern const imbrex::kernel<message_places, imbrex::device_span<double>> unpack;

/// Images of own atoms, which are in no message.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const halo_source>,
                            imbrex::device_span<double>, box_lengths>
    copy_images;

/// Lennard-Jones forces on own atoms, of a list in slices: where those begin, and the end; and its entries.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<double>,
                            lj_constants>
    lj_forces_of_list;

/// Also the potential energy of each own atom's pairs, and force times distance: each pair is there twice.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<double>,
                            imbrex::device_span<double>, lj_constants>
    lj_forces_and_sums_of_list;

}  // namespace minimd
