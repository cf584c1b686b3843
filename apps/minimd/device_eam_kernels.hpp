// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/kernel.hpp>

#include "apps/minimd/device_layout.hpp"

namespace minimd {

// Of embedded atoms. Slopes are those of the embedding energies: of own atoms, of copies, and of the atom
// that is far away; lists and positions are as those of device_kernels.hpp.

/// The slope of each source goes into messages, or to images.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const halo_source>,
                            message_places>
    pack_slopes;

/// They come from messages, to those of copies.
extern const imbrex::kernel<message_places, imbrex::device_span<double>> unpack_slopes;

/// The slopes of own atoms and their embedding energies, with the cubics of the density by distance and of
/// the energy by density. There are as many energies as own atoms.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<double>,
                            imbrex::device_span<double>, eam_constants>
    eam_slopes_of_list;

/// Forces on own atoms, with the slopes of all, and the cubics of the density and of the pair.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<const double>,
                            imbrex::device_span<double>, eam_constants>
    eam_forces_of_list;

/// Also, of each own atom, the potential energy of its pairs and twice its embedding energy, which stand
/// behind the slopes; and force times distance. Each pair is there twice.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<const std::uint64_t>,
                            imbrex::device_span<const std::int32_t>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<const double>,
                            imbrex::device_span<const double>, imbrex::device_span<double>,
                            imbrex::device_span<double>, eam_constants>
    eam_forces_and_sums_of_list;

}  // namespace minimd
