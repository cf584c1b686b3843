// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: `gather` and `by_key` are not for memory of devices
#include <imbrex/gpu.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void add(imbrex::device_buffer<double> numbers) {
    all_reduce(std::move(numbers), imbrex::by_key(imbrex::sum));
  }
};
