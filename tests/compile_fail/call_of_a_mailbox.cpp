// SPDX-License-Identifier: Apache-2.0
// expect: has no result to await: use send
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::mailbox<int> port;
};

void call_it(imbrex::array<cell> cells) { static_cast<void>(cells[0].call<&cell::port>(1)); }
