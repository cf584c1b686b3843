// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace imbrex {

/// A key by which another process of the host finds memory of a device; the backend defines its words.
struct memory_key {
  std::array<std::uint64_t, 12> words{};
};

namespace detail {

/// The smallest piece of memory that all kinds of devices can share.
inline constexpr std::size_t sharable_bytes = std::size_t{2} << 20U;

/// Device memory of another process of this host, and the lender there, which the runtime notifies when the
/// memory has been read.
struct far_memory {
  memory_key key;
  std::array<std::uint32_t, 3> lender{};
};

}  // namespace detail
}  // namespace imbrex
