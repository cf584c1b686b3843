// SPDX-License-Identifier: Apache-2.0
// expect: a reduction needs an operation
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  int value();
};

imbrex::task<> reduce_it(imbrex::array<cell> cells) { co_await cells.reduce<&cell::value>(); }
