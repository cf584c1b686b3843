// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <imbrex/base/pool.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/net/endpoint.hpp>

namespace imbrex::detail {

/// A message from another process that stays packed until it runs: `type` is `message_type::as_short`.
struct short_item : work {
  std::uint64_t collection = 0;
  std::uint64_t key = 0;        ///< key of the element
  std::uint16_t arguments = 0;  ///< offset of the arguments in the bytes
  std::uint16_t size = 0;       ///< bytes of the message, which follow this object

  static_assert(endpoint::longest_written <= std::numeric_limits<std::uint16_t>::max());

  std::span<const std::byte> bytes() const { return {reinterpret_cast<const std::byte*>(this + 1), size}; }

  /// Makes an item from a packed message in a job of `pes` PEs. Null if the message has to be unpacked.
  static short_item* of(std::span<const std::byte> packed, std::uint32_t pes);
  static void destroy(work& item) noexcept {
    pool::release(&item, sizeof(short_item) + static_cast<short_item&>(item).size);
  }
};

}  // namespace imbrex::detail
