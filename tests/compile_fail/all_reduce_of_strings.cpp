// SPDX-License-Identifier: Apache-2.0
// expect: `product` cannot combine two values of this type: it has no operator
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::task<> run() { co_await all_reduce(std::string("name"), imbrex::product); }
};
