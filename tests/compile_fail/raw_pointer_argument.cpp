// SPDX-License-Identifier: Apache-2.0
// expect: cannot take a raw pointer
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(const double* values);
};

void send_it(imbrex::array<cell> cells, const double* values) { imbrex::send<&cell::set>(cells[0], values); }
