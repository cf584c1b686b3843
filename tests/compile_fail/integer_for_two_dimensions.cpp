// SPDX-License-Identifier: Apache-2.0
// expect: this array has several dimensions: index it
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell, imbrex::index<2>> {
 public:
  void set(int value);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[3], 1); }
