// SPDX-License-Identifier: Apache-2.0
// expect: not a member of the addressee's class
#include <imbrex/imbrex.hpp>

class wall : public imbrex::chare<wall> {
 public:
  void set(int value);
};
class cell : public imbrex::chare<cell> {};

void send_it(imbrex::array<cell> cells) { imbrex::send<&wall::set>(cells[0], 1); }
