// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Counts signals down. Who gives the last one is told, has seen what all others wrote before theirs, and passes that on by
/// an ordered item; nobody waits or polls. It is armed again at once: whoever signals for the next time must know,
/// by way of that item, that this time is over.
template <class Memory>
struct countdown {
  typename Memory::word left{};

  IMBREX_DEVICE void arm(std::uint32_t signals) { Memory::store(left, signals); }
  /// True for the last of `signals`.
  IMBREX_DEVICE bool signal(std::uint32_t signals) {
    if (Memory::add_acquire_release(left, static_cast<std::uint32_t>(-1)) != 1) return false;
    arm(signals);
    return true;
  }
};

}  // namespace imbrex::resident
