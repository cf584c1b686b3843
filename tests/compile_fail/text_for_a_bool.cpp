// SPDX-License-Identifier: Apache-2.0
// expect: a number or a pointer where a bool is wanted
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::mailbox<bool> flag;
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::flag>(cells, 7, "text"); }
