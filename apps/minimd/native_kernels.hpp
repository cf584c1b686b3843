// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/device_span.hpp>
#include <imbrex/native_stream.hpp>

#include "apps/minimd/device_layout.hpp"

namespace minimd {

/// Launch functions in native_kernels.cu: the GPU's side of the kernels in device_kernels.hpp.
void advance_on_device(imbrex::native_stream on, imbrex::device_span<double> positions,
                       imbrex::device_span<double> velocities, imbrex::device_span<const double> forces,
                       double kick, double drift);
void kick_on_device(imbrex::native_stream on, imbrex::device_span<double> velocities,
                    imbrex::device_span<const double> forces, double kick);
void pack_on_device(imbrex::native_stream on, imbrex::device_span<const double> positions,
                    imbrex::device_span<const halo_source> sources, message_places to, box_lengths box);
void unpack_on_device(imbrex::native_stream on, message_places from, imbrex::device_span<double> copies);
void copy_images_on_device(imbrex::native_stream on, imbrex::device_span<const double> positions,
                           imbrex::device_span<const halo_source> sources, imbrex::device_span<double> copies,
                           box_lengths box);
void lj_forces_on_device(imbrex::native_stream on, imbrex::device_span<const double> positions,
                         imbrex::device_span<const std::uint64_t> begin,
                         imbrex::device_span<const std::int32_t> atoms, imbrex::device_span<double> forces,
                         lj_constants by);
void lj_forces_and_sums_on_device(imbrex::native_stream on, imbrex::device_span<const double> positions,
                                  imbrex::device_span<const std::uint64_t> begin,
                                  imbrex::device_span<const std::int32_t> atoms,
                                  imbrex::device_span<double> forces, imbrex::device_span<double> sums,
                                  lj_constants by);

}  // namespace minimd
