// SPDX-License-Identifier: Apache-2.0
// expect: only an explicit constructor makes the one
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(std::vector<double> values);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], 3.7); }
