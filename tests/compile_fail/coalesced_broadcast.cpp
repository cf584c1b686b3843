// SPDX-License-Identifier: Apache-2.0
// expect: only messages to one chare may wait for others
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void hear(int) {}
};

void tell(const imbrex::group<cell>& all) { imbrex::send<&cell::hear>(all.coalesced(), 1); }
