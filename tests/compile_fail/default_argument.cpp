// SPDX-License-Identifier: Apache-2.0
// expect: (has_arguments<2, 1>.*|failed: )imbrex: wrong number of arguments.*A default argument is no part
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(int value, int weight = 1);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], 1); }
