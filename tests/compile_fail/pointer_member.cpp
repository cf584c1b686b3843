// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: .*pointer
#include <imbrex/imbrex.hpp>

struct node {
  int value = 0;
  node* next = nullptr;
};

class cell : public imbrex::chare<cell> {
 public:
  void set(node n);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], node{}); }
