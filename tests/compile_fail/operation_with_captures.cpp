// SPDX-License-Identifier: Apache-2.0
// expect: the operation of a reduction must have no state
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  int get() const;
};

void reduce_it(imbrex::array<cell> cells, int bias) {
  static_cast<void>(cells.reduce<&cell::get>([bias](const int& a, const int& b) { return a + b + bias; }));
}
