// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: this entry of the host is not in the class's list: tells
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct found : resident::host_entry<int> {};
struct lost : resident::host_entry<int> {};

struct cell : resident::chare<cell> {
  using tells = resident::host_entries<found>;
  void push(resident::context<cell>& here) { here.tell<lost>(5); }
  using entries = resident::entries<&cell::push>;
};
