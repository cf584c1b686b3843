// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: the last argument for this entry is a payload of the type that it takes
#include <imbrex/resident/chare.hpp>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void take(resident::context<cell>& here, resident::payload<float>) {
    here.send<&cell::take>(1, here.prepare<&cell::take_wide>(4));
  }
  void take_wide(resident::context<cell>&, resident::payload<double>) {}
  using entries = resident::entries<&cell::take, &cell::take_wide>;
};
