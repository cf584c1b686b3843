// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: an argument is a floating number where an integer is wanted
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here) { here.contribute<&cell::sum>(2.75); }
  void sum(resident::context<cell>&, int) {}
  using entries = resident::entries<&cell::push, &cell::sum>;
  using reductions = resident::reductions<resident::reduction<&cell::sum, resident::sum_operation>>;
};
