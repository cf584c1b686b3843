// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: the arguments of an entry inside a GPU must be trivially copyable
#include <imbrex/resident/chare.hpp>

#include <string>

namespace resident = imbrex::resident;

struct cell : resident::chare<cell> {
  void push(resident::context<cell>& here, std::string text) { here.send<&cell::push>(1, text); }
  using entries = resident::entries<&cell::push>;
};
