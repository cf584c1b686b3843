// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/kernel.hpp>

#include "apps/jacobi3d/device_faces.hpp"
#include "apps/jacobi3d/device_layout.hpp"

namespace jacobi3d {

/// One Jacobi sweep of a block, from `now` to `next`: the same sums in the same order as sweep() in
/// stencil.hpp, so the same cells, bit for bit. It reads the layer around `now` and leaves that around `next`
/// alone. Both have `layout.size()` elements and do not overlap.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<double>, device_layout>
    update;

/// The same with `unpack` before and `pack` behind it in one: of sides that have an incoming face that is
/// read where it lies, instead of the layer around `now`; the new outermost cells are written to the
/// outgoing faces as well. Neither layer is written.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<double>, device_layout,
                            incoming_faces, outgoing_faces>
    update_with_faces;

/// Copies the outermost cells of the sides that have a face to it. A face has `layout.face_cells(side)`
/// elements, in the order of the block without padding: for the neighbour's `unpack` at `side ^ 1`.
extern const imbrex::kernel<imbrex::device_span<const double>, outgoing_faces, device_layout> pack;

/// Copies faces to the layer around a block. What lies beside that layer and is no cell may change.
extern const imbrex::kernel<incoming_faces, imbrex::device_span<double>, device_layout> unpack;

}  // namespace jacobi3d
