// SPDX-License-Identifier: Apache-2.0
// expect: (sum_operation, std::pair<int, int>>.*|failed: )imbrex: .sum. cannot.*it has no operator \+
#include <imbrex/imbrex.hpp>

#include <vector>

class cell : public imbrex::chare<cell> {
 public:
  std::vector<std::pair<int, int>> values();
};

imbrex::task<> reduce_it(imbrex::array<cell> cells) { co_await cells.reduce<&cell::values>(imbrex::sum); }
