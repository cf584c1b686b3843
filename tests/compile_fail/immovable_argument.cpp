// SPDX-License-Identifier: Apache-2.0
// expect: an argument cannot be moved
#include <imbrex/imbrex.hpp>

#include <mutex>

class cell : public imbrex::chare<cell> {
 public:
  void set(const std::mutex& lock);
};

void send_it(imbrex::array<cell> cells, std::mutex& lock) { imbrex::send<&cell::set>(cells[0], lock); }
