// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device_span.hpp>
#include <imbrex/kernel.hpp>

#include "apps/minimd/device_layout.hpp"

namespace minimd {

// Kernels for embedded-atom forces. Slopes of the embedding energies are ordered: own atoms, copies, the
// far-away atom. Lists and positions are as in device_kernels.hpp.

/// Writes the slope of each source into messages, or to images.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const halo_source>,
                            message_places>
    pack_slopes;

/// Reads slopes from messages into those of copies.
extern const imbrex::kernel<message_places, imbrex::device_span<double>> unpack_slopes;

/// Computes slopes and embedding energies of own atoms. Arguments: positions, the list, cubics of density by
/// distance, cubics of energy by density, slopes, energies (one for each own atom), constants.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<double>,
                            imbrex::device_span<double>, eam_constants>
    eam_slopes_of_list;

/// Computes forces on own atoms from the slopes of all atoms and the cubics of density and pair.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<const double>,
                            imbrex::device_span<double>, eam_constants>
    eam_forces_of_list;

/// Computes forces on own atoms, and two sums for each. The first is the potential energy of its pairs plus
/// twice its embedding energy (the argument after the slopes). The second is force times distance. Each pair
/// is counted twice.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<double>,
                            imbrex::device_span<double>, eam_constants>
    eam_forces_and_sums_of_list;

}  // namespace minimd
