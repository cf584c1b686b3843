// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/symmetric.hpp>
#include <imbrex/resident/transport/memory.hpp>
#include <imbrex/resident/transport/trigger.hpp>

namespace imbrex::resident {

/// Counts signals for a continuation: see `context::signal`. A trigger of zeros is ready, as a member of a
/// new chare is.
using trigger = signal_count<native_memory>;

/// Receiving end of a path from one chare to another, on any GPU, that is used repeatedly. The sender writes
/// directly into two buffers, alternately (`context::put`). Value n stays in its buffer until the sender puts
/// value n + 2. The sender may do so once it knows that the receiver has finished with value n. It knows by
/// value n + 1 of a channel back, or by a message. Both ends must know the channel, for example as a member.
template <class T>
struct channel {
  symmetric<T> buffers;  ///< 2 `size()` Ts; the bytes of `size()` Ts are a multiple of 16

  IMBREX_DEVICE std::uint64_t size() const { return buffers.size / 2; }
  /// Memory that the n-th message uses: one half for even n, the other for odd n.
  IMBREX_DEVICE symmetric<T> buffer(std::uint32_t n) const { return buffers.part(n % 2 * size(), size()); }
};

}  // namespace imbrex::resident
