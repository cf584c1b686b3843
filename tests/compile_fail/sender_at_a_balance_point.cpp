// SPDX-License-Identifier: Apache-2.0
// expect: is given the one that it has at a balance point
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::task<> run(imbrex::sender from) { co_await balance_point<&cell::run>(); }
  void serialize(auto&) {}
};
