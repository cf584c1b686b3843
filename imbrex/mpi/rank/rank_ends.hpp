// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex::mpi {

/// Collects the ends of ranks that may end in another process than they began in.
class rank_ends final : public chare<rank_ends> {
 public:
  mailbox<int> statuses;

  /// Awaits the ends of all ranks. Returns the greatest exit status.
  task<int> all(int ranks) {
    int greatest = 0;
    for (int i = 0; i < ranks; ++i) {
      const int status = co_await statuses.receive();
      greatest = std::max(greatest, status);
    }
    co_return greatest;
  }
};

}  // namespace imbrex::mpi
