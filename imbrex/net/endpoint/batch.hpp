// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <imbrex/serial/archive.hpp>

namespace imbrex::batch {

/// Several packed items in one message, each preceded by its length.
using length = std::uint16_t;

inline constexpr std::size_t longest_item = std::numeric_limits<length>::max();

/// Appends an item of at most `longest_item` bytes.
inline void append(writer& batch, std::span<const std::byte> item) {
  batch(static_cast<length>(item.size()));
  batch.bytes(item.data(), item.size());
}

/// Room for the next item of at most `most` bytes; then `filled` sets its length.
inline std::byte* room(writer& batch, std::size_t most) {
  return batch.room(sizeof(length) + most) + sizeof(length);
}
inline void filled(writer& batch, std::size_t bytes) {
  const auto before = static_cast<length>(bytes);
  std::memcpy(batch.room(0), &before, sizeof before);
  batch.filled(sizeof before + bytes);
}

/// Calls `take` with each item of a batch, in order. Throws serial_error, and what `take` throws.
template <class Take>
void for_each(std::span<const std::byte> batch, const Take& take) {
  reader in(batch);
  while (in.remaining() != 0) {
    length bytes = 0;
    in(bytes);
    take(in.view(bytes));
  }
}

}  // namespace imbrex::batch
