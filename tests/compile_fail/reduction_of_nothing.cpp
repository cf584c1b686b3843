// SPDX-License-Identifier: Apache-2.0
// expect: returns nothing that could be reduced
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(int value);
};

void reduce_it(imbrex::array<cell> cells) { static_cast<void>(cells.reduce<&cell::set>(imbrex::sum, 1)); }
