// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Memory for so many Ts that each GPU of a `symmetric_heap` has, at the same place in the heap, though not
/// at the same address: so a chare may have it as a member, and it may be sent. `context::local` and
/// `context::remote` say where it is.
template <class T>
struct symmetric {
  static_assert(std::is_trivially_copyable_v<T>, "imbrex: symmetric memory holds what is trivially copyable");

  std::uint64_t offset = 0;  ///< in the heap, in bytes
  std::uint64_t size = 0;    ///< Ts

  /// The part of `count` from `first` on.
  IMBREX_DEVICE symmetric part(std::uint64_t first, std::uint64_t count) const {
    return {offset + first * sizeof(T), count};
  }
};

}  // namespace imbrex::resident
