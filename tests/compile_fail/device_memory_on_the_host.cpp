// SPDX-License-Identifier: Apache-2.0
// expect: device_span<double>.*does not provide a subscript operator|no match for .*device_span<double>
#include <imbrex/device/buffer.hpp>

double first(imbrex::device_buffer<double>& of) { return of.span()[0]; }
