// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/device_requests.hpp>

#include <memory>

#include <imbrex/mpi/memory/device_copy.hpp>

namespace imbrex::mpi {

void begin_copy(rank& self, request& q, void* to, device* to_on, const void* from, device* from_on,
                std::size_t bytes) {
  complete_after(self, order_copy(to, to_on, from, from_on, bytes), q);
}

void complete_after(rank& self, stream& work, request& q) {
  struct completion {
    rank& of;
    request& done;
    void end() { of.complete(done); }
  };
  q.peer = request::is_several;
  notify_when_done(work, receiver_for(std::make_unique<completion>(self, q)));
}

}  // namespace imbrex::mpi
