// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: an argument is a floating number where an integer is wanted
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here, int) { here.send<&cell::push>(1, 2.75); }
  using entries = resident::entries<&cell::push>;
};
