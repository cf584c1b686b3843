// SPDX-License-Identifier: Apache-2.0
// expect: `product` cannot combine two values of this type: it has no operator
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  std::string name();
};

imbrex::task<> reduce_it(imbrex::array<cell> cells) { co_await cells.reduce<&cell::name>(imbrex::product); }
