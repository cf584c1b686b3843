// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device_span.hpp>
#include <imbrex/native_stream.hpp>

#include "apps/jacobi3d/device_faces.hpp"
#include "apps/jacobi3d/device_layout.hpp"

namespace jacobi3d {

/// The GPU's side of the kernels in device_kernels.hpp, defined by native_kernels.cu.
void update_on_device(imbrex::native_stream on, imbrex::device_span<const double> now,
                      imbrex::device_span<double> next, device_layout layout);
void update_with_faces_on_device(imbrex::native_stream on, imbrex::device_span<const double> now,
                                 imbrex::device_span<double> next, device_layout layout, incoming_faces in,
                                 outgoing_faces out);
void pack_on_device(imbrex::native_stream on, imbrex::device_span<const double> cells, outgoing_faces to,
                    device_layout layout);
void unpack_on_device(imbrex::native_stream on, incoming_faces from, imbrex::device_span<double> cells,
                      device_layout layout);

}  // namespace jacobi3d
