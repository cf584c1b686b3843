// SPDX-License-Identifier: Apache-2.0
// expect: 'set' is a private member of 'cell'|'void cell::set\(int\)' is private within this context
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
  void set(int value);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], 1); }
