// SPDX-License-Identifier: Apache-2.0
// expect: this chare cannot migrate: add
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::task<> run() { co_await balance_point<&cell::run>(); }

 private:
  int value_ = 0;
};
