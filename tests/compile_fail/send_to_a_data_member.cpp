// SPDX-License-Identifier: Apache-2.0
// expect: neither an entry method nor a mailbox or channel
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  int count = 0;
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::count>(cells[0], 1); }
