// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: this member is not in the class's list of entries
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here) { here.send<&cell::take>(1, 5); }
  void take(resident::context<cell>&, int) {}
  using entries = resident::entries<&cell::push>;
};
