// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Counts signals. Who gives the last one knows it, has seen what all others wrote before theirs, and passes
/// that on by an ordered item; nobody waits or polls. Then it counts from 0 again: whoever signals for the
/// next time must know, by way of that item, that this time is over. A trigger of zeros is ready.
template <class Memory>
struct signal_count {
  typename Memory::word signals{};

  /// True for the last of `all`.
  IMBREX_DEVICE bool add(std::uint32_t all) {
    if (Memory::add_acquire_release(signals, 1) + 1 != all) return false;
    Memory::store(signals, 0);
    return true;
  }
};

}  // namespace imbrex::resident
