// SPDX-License-Identifier: Apache-2.0
// expect: this operation cannot combine two values of this type: it needs a const
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  std::string name();
};

imbrex::task<> reduce_it(imbrex::array<cell> cells) {
  co_await cells.reduce<&cell::name>([](int a, int b) { return a + b; });
}
