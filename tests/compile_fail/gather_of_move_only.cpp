// SPDX-License-Identifier: Apache-2.0
// expect: what is reduced over an array must be copyable
#include <memory>

#include <imbrex/imbrex.hpp>

class cell : public imbrex::chare<cell> {
 public:
  std::unique_ptr<int> give();
};

void gather_it(imbrex::array<cell> cells) { static_cast<void>(cells.reduce<&cell::give>(imbrex::gather)); }
