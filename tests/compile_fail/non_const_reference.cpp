// SPDX-License-Identifier: Apache-2.0
// expect: cannot take a reference to non-const
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(std::vector<double>& values);
};

void send_it(imbrex::array<cell> cells) { imbrex::send<&cell::set>(cells[0], std::vector<double>(3)); }
