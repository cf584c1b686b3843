// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: an argument has the wrong type for this kernel: give it the span
#include <imbrex/device/stream.hpp>

#include <vector>

inline constexpr imbrex::kernel<imbrex::device_span<double>, double> scale{.name = "scale"};

void launch(imbrex::stream& s, std::vector<double>& numbers) { s.launch(scale, numbers, 2.0); }
