// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: memory, streams and events of a device stay in their process: give a device_buffer
#include <imbrex/gpu.hpp>

#include <vector>

struct numbers {
  std::vector<imbrex::device_buffer<double>> all;
};

void write_it(imbrex::writer& out, const numbers& n) { out(n); }
