// SPDX-License-Identifier: Apache-2.0
// expect: cannot be copied into a message: give it away by std::move
#include <imbrex/imbrex.hpp>

#include <memory>

class cell : public imbrex::chare<cell> {
 public:
  void set(std::unique_ptr<int> value);
};

void send_it(imbrex::array<cell> cells, std::unique_ptr<int> value) {
  imbrex::send<&cell::set>(cells[0], value);
}
