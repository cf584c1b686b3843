// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/kernel.hpp>

#include "apps/jacobi3d/device_layout.hpp"

namespace jacobi3d {

/// One Jacobi sweep of a block, from `now` to `next`: the same sums in the same order as sweep() in
/// stencil.hpp, so the same cells, bit for bit. It reads the layer around `now` and leaves that around `next`
/// alone. Both have `layout.size()` elements and do not overlap.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<double>, device_layout>
    update;

/// Copies the outermost cells of a side to `face`, which has `layout.face_cells(side)` elements, in the order
/// of the block without padding: for the neighbour's `unpack` with `side ^ 1`.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<double>, device_layout,
                            int>
    pack;

/// Copies a face to the layer around a block, at that side. Takes the face first, then the cells.
extern const imbrex::kernel<imbrex::device_span<const double>, imbrex::device_span<double>, device_layout,
                            int>
    unpack;

}  // namespace jacobi3d
