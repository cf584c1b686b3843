// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device_span.hpp>
#include <imbrex/native_stream.hpp>

// Functions of gpu_libraries.cu, which a compiler of CUDA compiles. Each submits its work to the stream.

void sort_by_thrust(imbrex::native_stream on, imbrex::device_span<double> numbers);
/// c = a * b, for square matrices in the order of columns.
void multiply_by_cublas(imbrex::native_stream on, imbrex::device_span<const double> a,
                        imbrex::device_span<const double> b, imbrex::device_span<double> c, int size);
