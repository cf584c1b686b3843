// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>
#include <imbrex/resident/transport/trigger.hpp>

namespace imbrex::resident {

/// Counts signals for a continuation: see `context::signal`. One of zeros, as a member of a chare is made, is
/// ready.
using trigger = signal_count<native_memory>;

/// The receiving end of a way from one chare to another that is used again and again: two buffers in turn,
/// which the sender writes where they lie (`context::put`). A member of the receiver. Value n lies in the
/// buffer of n until the sender puts value n + 2, which it may do when it knows that the receiver is done
/// with n: by value n + 1 of a channel back, or a message.
template <class T>
struct channel {
  T* buffers = nullptr;    ///< of 2 `size` Ts in the device's memory, aligned to 16 bytes
  std::uint32_t size = 0;  ///< Ts of a value; their bytes a multiple of 16
  trigger arrived[2];

  IMBREX_DEVICE T* buffer(std::uint32_t n) const { return buffers + std::uint64_t{n % 2} * size; }
};

}  // namespace imbrex::resident
