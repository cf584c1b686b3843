// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex::mpi {

/// Fields by which messages and receives are matched.
struct envelope {
  std::uint64_t context = 0;  ///< a communicator's context for one of its purposes
  std::int32_t source = 0;    ///< the sender's rank in the communicator
  std::int32_t tag = 0;
};

}  // namespace imbrex::mpi
