// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device/native_stream.hpp>
#include <imbrex/grid/box_moves.hpp>

/// Function defined in native_box_moves.cu. This header is C++17, for the device's compilers.

namespace imbrex::grid::detail {

void move_boxes_on_device(native_stream on, box_moves moves);

}  // namespace imbrex::grid::detail
