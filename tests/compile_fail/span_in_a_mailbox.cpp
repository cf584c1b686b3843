// SPDX-License-Identifier: Apache-2.0
// expect: a span in a mailbox or channel would outlive the message
#include <span>

#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::mailbox<std::span<const int>> port;
};

void send_it(imbrex::array<cell> cells, std::span<const int> values) {
  imbrex::send<&cell::port>(cells[0], values);
}
