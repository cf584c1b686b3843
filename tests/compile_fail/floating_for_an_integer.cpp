// SPDX-License-Identifier: Apache-2.0
// expect: (argument_converts<2, double, int>.*|failed: )imbrex: an argument is a floating number
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(double value, int place);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], 1, 2.0); }
