// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace imbrex::detail {

/// std::memcpy without a call for few bytes, at the cost of long copies: most arguments of messages are
/// short. `count` may be 0.
inline void copy_bytes(void* target, const void* source, std::size_t count) {
  auto* const to = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const std::byte*>(source);
  const auto ends = [&]<class Word>(Word first) {  // copies two words, which may overlap
    Word last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + count - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + count - sizeof last, &last, sizeof last);
  };
  if (count > 16) [[unlikely]] {
    std::memcpy(to, from, count);
  } else if (count >= 8) {
    ends(std::uint64_t{});
  } else if (count >= 4) {
    ends(std::uint32_t{});
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

}  // namespace imbrex::detail
