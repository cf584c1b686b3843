// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex::mpi {

/// Collects the ends of ranks that may end in another process than they began in. A group, made anew in each
/// run; its chare on PE 0 does all.
class rank_ends final : public chare<rank_ends> {
 public:
  rank_ends();
  /// True if the ranks of the argument's process have the same addresses here.
  bool has_addresses(std::uint64_t digest);
  /// Awaits the ends of all ranks. Returns the greatest exit status.
  task<int> all(int ranks);
  /// Called on any PE: a rank has ended.
  static void tell(int status);

  mailbox<int> statuses;
};

}  // namespace imbrex::mpi
