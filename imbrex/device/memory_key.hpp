// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace imbrex {

/// By what another process of the host finds memory of a device; what the words mean is the backend's.
struct memory_key {
  std::array<std::uint64_t, 12> words{};
};

namespace detail {

/// Some kinds of devices share no smaller pieces of memory than this.
inline constexpr std::size_t sharable_bytes = std::size_t{2} << 20U;

/// Memory of a device of another process of this host, and who there must be told when it has been read, as
/// the runtime has it.
struct far_memory {
  memory_key key;
  std::array<std::uint32_t, 3> lender{};
};

}  // namespace detail
}  // namespace imbrex
