// SPDX-License-Identifier: Apache-2.0
#pragma once
// The byte format of numbers, headers and arguments of messages. Each format is defined once here. A whole
// message goes to a `writer`, a short one to a `short_output`; a `reader` reads both.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/copy_bytes.hpp>

namespace imbrex::detail {

/// Writes values into caller-provided memory, as `writer` does into its own.
class short_output {
 public:
  static constexpr bool reading = false;

  explicit short_output(std::byte* room) : first_(room), at_(room) {}

  void bytes(const void* source, std::size_t count) {
    copy_bytes(at_, source, count);
    at_ += count;
  }
  void block(const void* source, std::size_t count) { bytes(source, count); }
  template <class Number>
  void number(Number value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

  std::size_t size() const { return static_cast<std::size_t>(at_ - first_); }

 private:
  std::byte* first_;
  std::byte* at_;
};

inline constexpr std::size_t longest_packed_number = 10;

template <class Output>
void pack_long_number(std::uint64_t number, Output& out) {
  for (; number > 0x7f; number >>= 7U) out.number(static_cast<std::uint8_t>(number | 0x80U));
  out.number(static_cast<std::uint8_t>(number));
}
extern template void pack_long_number(std::uint64_t number, writer& out);

/// Writes a number in a variable-length format: seven bits to a byte, lowest first; the eighth bit is set if
/// more bytes follow. Short messages matter since a network sends two cache lines faster than three.
template <class Output>
void pack_number(std::uint64_t number, Output& out) {
  if (number > 0x7f) return pack_long_number(number, out);
  out.number(static_cast<std::uint8_t>(number));
}
std::uint64_t unpack_long_number(std::uint8_t first, reader& in);
inline std::uint64_t unpack_number(reader& in) {
  std::uint8_t first = 0;
  in.bytes(&first, 1);
  return first < 0x80 ? first : unpack_long_number(first, in);
}
[[noreturn]] void throw_too_long(std::uint64_t number);
/// Reads a number of at most 32 bits. Throws serial_error if it has more.
inline std::uint32_t unpack_short_number(reader& in) {
  const std::uint64_t number = unpack_number(in);
  if (number >> 32U != 0) [[unlikely]]
    throw_too_long(number);
  return static_cast<std::uint32_t>(number);
}

/// The fields of every header: the kind's number, the sending PE, and the collection that the message is for.
struct plain_header {
  std::uint32_t kind;
  std::uint32_t origin;
  std::uint64_t collection;

  /// The collection as it is packed. The bit that marks single chares moves to the lowest position, so that
  /// most packed numbers are small.
  std::uint64_t packed_collection() const { return std::rotl(collection, 1); }
};

/// A header without optional parts and with small numbers, which is the common case. It is written and read
/// as one 32-bit number. Storing its bytes one by one would stall a following 32-bit read. Its kind has nine
/// bits, as a program has hundreds of kinds with those of the runtime.
struct short_header {
  static constexpr unsigned kind_bits = 9;
  static constexpr unsigned origin_bits = 8;
  static constexpr unsigned collection_bits = 7;
  static constexpr unsigned kind_at = 8;
  static constexpr unsigned origin_at = kind_at + kind_bits;
  static constexpr unsigned collection_at = origin_at + origin_bits;
  static_assert(collection_at + collection_bits == 32);

  std::uint32_t bits;  ///< from the lowest: eight zeros, which no long header begins with, then the numbers

  static bool fits(const plain_header& h) {
    return (h.kind >> kind_bits | h.origin >> origin_bits | h.packed_collection() >> collection_bits) == 0;
  }
  static short_header of(const plain_header& h) {
    return {h.kind << kind_at | h.origin << origin_at |
            static_cast<std::uint32_t>(h.packed_collection()) << collection_at};
  }
  /// True if the next message of the input has a short header, or is cut off within one.
  static bool is_next(const reader& in) { return !in.ahead().empty() && in.ahead().front() == std::byte{0}; }
  std::uint32_t kind() const { return bits >> kind_at & ((1U << kind_bits) - 1); }
  plain_header numbers() const {
    return {kind(), bits >> origin_at & ((1U << origin_bits) - 1),
            std::rotr(std::uint64_t{bits >> collection_at}, 1)};
  }
};
static_assert(sizeof(short_header) == 4 && std::endian::native == std::endian::little);

/// The first byte of a long header without optional parts.
inline constexpr std::uint8_t no_parts = 16;

inline constexpr std::size_t longest_plain_header = 1 + 2 * 5 + longest_packed_number;

/// Writes a header; `parts` has a bit for each optional part that follows (`message.cpp` defines the bits),
/// or is `no_parts`.
template <class Output>
void pack_long_header(std::uint8_t parts, const plain_header& h, Output& out) {
  out.number(parts);
  pack_number(h.kind, out);
  pack_number(h.origin, out);
  pack_number(h.packed_collection(), out);
}
/// Writes a header without optional parts.
template <class Output>
void pack_plain_header(const plain_header& h, Output& out) {
  if (short_header::fits(h)) return out.number(short_header::of(h));
  pack_long_header(no_parts, h, out);
}

/// A header and the bits of the optional parts that follow.
struct long_header {
  std::uint8_t parts;
  plain_header numbers;
};
/// Throws serial_error.
inline long_header unpack_long_header(reader& in) {
  long_header header{};
  in.bytes(&header.parts, 1);
  header.numbers.kind = unpack_short_number(in);
  header.numbers.origin = unpack_short_number(in);
  header.numbers.collection = std::rotr(unpack_number(in), 1);
  return header;
}
/// Reads a header for which `short_header::is_next`. Throws serial_error if it is cut off.
inline short_header unpack_short_header(reader& in) {
  short_header header;
  std::memcpy(&header, in.view(sizeof header).data(), sizeof header);
  return header;
}

}  // namespace imbrex::detail
