// SPDX-License-Identifier: Apache-2.0
// expect: a number or a pointer where a bool is wanted
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  bool is_set(bool really);
};

imbrex::task<bool> ask(imbrex::array<cell> cells) { co_return co_await cells[0].call<&cell::is_set>(1); }
