// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device_span.hpp>
#include <imbrex/native_stream.hpp>

#include "apps/minimd/device_layout.hpp"

namespace minimd {

/// Launch functions in native_eam_kernels.cu: the GPU's side of the kernels in device_eam_kernels.hpp.
void pack_slopes_on_device(imbrex::native_stream on, imbrex::device_span<const double> slopes,
                           imbrex::device_span<const halo_source> sources, message_places to);
void unpack_slopes_on_device(imbrex::native_stream on, message_places from,
                             imbrex::device_span<double> copies);
void eam_slopes_on_device(imbrex::native_stream on, imbrex::device_span<const double> positions,
                          imbrex::device_span<const std::uint64_t> begin,
                          imbrex::device_span<const std::int32_t> atoms,
                          imbrex::device_span<const double> densities,
                          imbrex::device_span<const double> embedding, imbrex::device_span<double> slopes,
                          imbrex::device_span<double> energies, eam_constants by);
void eam_forces_on_device(imbrex::native_stream on, imbrex::device_span<const double> positions,
                          imbrex::device_span<const std::uint64_t> begin,
                          imbrex::device_span<const std::int32_t> atoms,
                          imbrex::device_span<const double> slopes,
                          imbrex::device_span<const double> densities,
                          imbrex::device_span<const double> pairs, imbrex::device_span<double> forces,
                          eam_constants by);
void eam_forces_and_sums_on_device(
    imbrex::native_stream on, imbrex::device_span<const double> positions,
    imbrex::device_span<const std::uint64_t> begin, imbrex::device_span<const std::int32_t> atoms,
    imbrex::device_span<const double> slopes, imbrex::device_span<const double> energies,
    imbrex::device_span<const double> densities, imbrex::device_span<const double> pairs,
    imbrex::device_span<double> forces, imbrex::device_span<double> sums, eam_constants by);

}  // namespace minimd
