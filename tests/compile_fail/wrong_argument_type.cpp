// SPDX-License-Identifier: Apache-2.0
// expect: (argument_converts<2, .*|failed: )imbrex: an argument has the wrong type for this entry method
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(int place, std::vector<double> values);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], 1, "text"); }
