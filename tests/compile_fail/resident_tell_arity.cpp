// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: wrong number of arguments for this entry of the host
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct found : resident::host_entry<int, double> {};

struct cell : resident::chare<cell> {
  using tells = resident::host_entries<found>;
  void push(resident::context<cell>& here) { here.tell<found>(5); }
  using entries = resident::entries<&cell::push>;
};
