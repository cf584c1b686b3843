// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Counts signals. The sender of the last signal knows that it is the last, and has seen everything that the
/// others wrote before theirs. It passes this on by an ordered item; no PE waits or polls. Then the count
/// restarts at 0. A sender of the next round must know, by way of that item, that this round is over. A
/// trigger of zeros is ready.
template <class Memory>
struct signal_count {
  typename Memory::word signals{};

  /// Adds a signal. True for the last of `all`.
  IMBREX_DEVICE bool add(std::uint32_t all) {
    if (Memory::add_acquire_release(signals, 1) + 1 != all) return false;
    Memory::store(signals, 0);
    return true;
  }
};

}  // namespace imbrex::resident
