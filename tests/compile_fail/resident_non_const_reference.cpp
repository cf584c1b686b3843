// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: an entry inside a GPU cannot take a reference to non-const
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here, int& n) { here.send<&cell::push>(1, n); }
  using entries = resident::entries<&cell::push>;
};
