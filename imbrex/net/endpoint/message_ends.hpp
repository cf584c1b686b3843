// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/error.hpp>

// Values at the end of messages, which come from a wire.
namespace imbrex::endpoints {

/// The last value of a message. Throws serial_error if the bytes are too few.
template <class T>
T last_of(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) imbrex::detail::throw_truncated(sizeof(T), bytes.size(), 0);
  T value;
  std::memcpy(&value, bytes.data() + bytes.size() - sizeof value, sizeof value);
  return value;
}

/// A reader of an item's header, whose last value is the position of a block of `size` bytes. `block` is null
/// if the block is still to arrive.
inline reader reader_of(std::span<const std::byte> header, std::size_t size, const std::byte* block,
                        std::size_t shortest) {
  const auto position = last_of<std::uint64_t>(header);
  if (size < shortest)
    throw serial_error("malformed message: a block of " + std::to_string(size) + " bytes stands apart");
  return {header.first(header.size() - sizeof position), {position, size, block}};
}

[[noreturn]] inline void throw_no_such_endpoint(std::size_t number) {
  throw serial_error("malformed message: it says that it comes from endpoint " + std::to_string(number));
}

}  // namespace imbrex::endpoints
