// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device_span.hpp>
#include <imbrex/kernel.hpp>

#include "apps/jacobi3d/device_faces.hpp"
#include "apps/jacobi3d/device_layout.hpp"

namespace jacobi3d {

/// One Jacobi sweep of a block, from `now` to `next`: the sums of sweep() in stencil.hpp in the same order,
/// so the results are equal, bit for bit. It reads the layer around `now` and does not change the layer
/// around `next`. Both arrays have `layout.size()` elements and do not overlap.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<double>, device_layout>
    update;

/// `unpack`, `update` and `pack` in one kernel. For sides with an incoming face it reads the face in place,
/// instead of the layer around `now`. The new outermost cells are also written to the outgoing faces. It
/// writes neither layer.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<double>, device_layout,
                            incoming_faces, outgoing_faces>
    update_with_faces;

/// Copies the outermost cells of each side that has a face to this face. A face has `layout.face_cells(side)`
/// elements, in the order of the block without padding, for the neighbour's `unpack` at `side ^ 1`.
extern const imbrex::kernel<imbrex::device_span<const double>, outgoing_faces, device_layout> pack;

/// Copies faces to the layer around a block. Padding next to that layer may change.
extern const imbrex::kernel<incoming_faces, imbrex::device_span<double>, device_layout> unpack;

}  // namespace jacobi3d
