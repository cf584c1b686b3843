// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: what is printed inside a GPU are numbers
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here) { here.print("{} is here", "cell"); }
  using entries = resident::entries<&cell::push>;
};
