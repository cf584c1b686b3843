// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/symmetric.hpp>
#include <imbrex/resident/transport/memory.hpp>
#include <imbrex/resident/transport/trigger.hpp>

namespace imbrex::resident {

/// Counts signals for a continuation: see `context::signal`. One of zeros, as a member of a chare is made, is
/// ready.
using trigger = signal_count<native_memory>;

/// The receiving end of a way from one chare to another, on whatever GPU, that is used again and again: two
/// buffers in turn, which the sender writes where they lie (`context::put`). Value n lies in the buffer of n
/// until the sender puts value n + 2, which it may do when it knows that the receiver is done with n: by
/// value n + 1 of a channel back, or a message. Both ends have it as a member, or know it otherwise.
template <class T>
struct channel {
  symmetric<T> buffers;  ///< of 2 `size` Ts; the bytes of `size` a multiple of 16

  IMBREX_DEVICE std::uint64_t size() const { return buffers.size / 2; }
  IMBREX_DEVICE symmetric<T> buffer(std::uint32_t n) const { return buffers.part(n % 2 * size(), size()); }
};

}  // namespace imbrex::resident
