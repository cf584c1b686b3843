// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: an argument is a number or a pointer where a bool is wanted
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here, bool) { here.send<&cell::push>(1, 7); }
  using entries = resident::entries<&cell::push>;
};
