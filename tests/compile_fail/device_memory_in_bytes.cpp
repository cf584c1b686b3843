// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: memory, streams and events of a device stay in their process: give a device_buffer
#include <imbrex/gpu.hpp>
#include <imbrex/serial/bytes.hpp>

#include <vector>

struct numbers {
  std::vector<imbrex::device_buffer<double>> all;
};

std::vector<std::byte> write_it(const numbers& n) { return imbrex::to_bytes(n); }
