// SPDX-License-Identifier: Apache-2.0
// expect: no constructor that takes these arguments
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  explicit cell(std::vector<int> values);
};

void make_it() { imbrex::make_array<cell>({3}, 1.5); }
