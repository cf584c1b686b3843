// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: a broadcast inside a GPU has at most 8 bytes of arguments
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here, double a, double b) { here.broadcast<&cell::push>(a, b); }
  using entries = resident::entries<&cell::push>;
};
