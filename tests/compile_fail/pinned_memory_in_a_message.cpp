// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: memory, streams and events of a device stay in their process: give a device_buffer
#include <imbrex/gpu.hpp>

#include <vector>

class cell : public imbrex::chare<cell> {
 public:
  void set(std::vector<double> numbers);
};

void send_it(imbrex::array<cell> cells, imbrex::pinned_buffer<double>& numbers) {
  imbrex::send<&cell::set>(cells[0], numbers);
}
