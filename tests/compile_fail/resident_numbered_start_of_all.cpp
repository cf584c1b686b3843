// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: a broadcast inside a GPU has no reference number
#include <imbrex/resident.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void take(resident::context<cell>&, resident::reference) {}
  using entries = resident::entries<&cell::take>;
};

void begin(resident::program<cell>& cells) { cells.start_all<&cell::take>(resident::reference(7)); }
