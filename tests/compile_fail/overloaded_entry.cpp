// SPDX-License-Identifier: Apache-2.0
// expect: no matching function for call to 'send
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(int value);
  void set(double value);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], 1); }
