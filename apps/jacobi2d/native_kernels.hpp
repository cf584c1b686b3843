// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device_span.hpp>
#include <imbrex/native_stream.hpp>

#if IMBREX_HAS_CUDA

namespace jacobi2d {

/// Runs one sweep of all rows as one kernel, as a program driven by the host does.
void sweep_on_device(imbrex::native_stream on, imbrex::device_span<float> from, imbrex::device_span<float> to,
                     int rows, int width);
/// Runs all sweeps as one kernel, whose blocks wait for each other after each sweep.
void loop_on_device(imbrex::native_stream on, imbrex::device_span<float> a, imbrex::device_span<float> b,
                    int rows, int width, int sweeps, int threads);

}  // namespace jacobi2d

#endif
