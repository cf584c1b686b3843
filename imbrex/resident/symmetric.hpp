// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// `size` Ts of memory on each GPU of a `symmetric_heap`. The offset in the heap is equal on all GPUs, though
/// the address is not. So a chare may have it as a member, and a message may carry it. `context::local` and
/// `context::remote` return its addresses.
template <class T>
struct symmetric {
  static_assert(std::is_trivially_copyable_v<T>, "imbrex: symmetric memory holds what is trivially copyable");

  std::uint64_t offset = 0;  ///< in the heap, in bytes
  std::uint64_t size = 0;    ///< number of Ts

  /// Part of `count` Ts from `first` on.
  IMBREX_DEVICE symmetric part(std::uint64_t first, std::uint64_t count) const {
    return {offset + first * sizeof(T), count};
  }
};

}  // namespace imbrex::resident
