// SPDX-License-Identifier: Apache-2.0
// expect: the key of an array needs ==
#include <imbrex/imbrex.hpp>

struct square {
  int x = 0;
  int y = 0;
};

class cell : public imbrex::chare<cell, square> {};

void make() { imbrex::make_array<cell>(); }
