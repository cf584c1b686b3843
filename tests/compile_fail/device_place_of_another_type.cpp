// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: the place of a device_argument is a member function that takes the arguments before it
#include <imbrex/gpu.hpp>

#include <cstddef>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::device_place<float> place(int side, std::size_t count);
  void set(int side, imbrex::device_argument<double, &cell::place> numbers);
};

void send_it(imbrex::array<cell> cells, imbrex::device_loan<double>& numbers) {
  imbrex::send<&cell::set>(cells[0], 1, numbers);
}
