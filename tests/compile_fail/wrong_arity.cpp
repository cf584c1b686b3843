// SPDX-License-Identifier: Apache-2.0
// expect: wrong number of arguments for this entry method
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(int value, int weight);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], 1); }
