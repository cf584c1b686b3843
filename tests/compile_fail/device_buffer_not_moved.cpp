// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: memory of a device is not copied into a message: give the device_buffer itself
#include <imbrex/gpu.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(imbrex::device_buffer<double> numbers);
};

void send_it(imbrex::array<cell> cells, imbrex::device_buffer<double>& numbers) {
  imbrex::send<&cell::set>(cells[0], numbers);
}
