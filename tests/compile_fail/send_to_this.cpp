// SPDX-License-Identifier: Apache-2.0
// expect: a message goes to a proxy
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  void set(int value);
  void run() { imbrex::send<&cell::set>(this, 1); }
};
