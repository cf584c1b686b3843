// SPDX-License-Identifier: Apache-2.0
// expect: a reduction needs an operation
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::task<> run() { co_await all_reduce(1); }
};
