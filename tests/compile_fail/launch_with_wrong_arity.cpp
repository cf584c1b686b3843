// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: wrong number of arguments for this kernel
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/stream.hpp>

inline constexpr imbrex::kernel<imbrex::device_span<double>, double> scale{.name = "scale"};

void launch(imbrex::stream& s, imbrex::device_buffer<double>& numbers) { s.launch(scale, numbers.span()); }
