// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: a payload is the last argument of an entry inside a GPU
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here, resident::payload<int>, int) { here.prepare<&cell::push>(4); }
  using entries = resident::entries<&cell::push>;
};
