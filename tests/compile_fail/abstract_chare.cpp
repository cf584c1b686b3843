// SPDX-License-Identifier: Apache-2.0
// expect: this chare class has virtual functions that only classes derived from it define
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  virtual void run() = 0;
};

void make() { imbrex::make_array<cell>(3); }
