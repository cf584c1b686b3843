// SPDX-License-Identifier: Apache-2.0
// expect: a floating number where an integer is wanted
#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  imbrex::channel<int> line;
  void run() { line.send(1.5); }
};
