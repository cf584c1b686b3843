// SPDX-License-Identifier: Apache-2.0
#pragma once
// How numbers, headers and arguments of messages stand in bytes.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <imbrex/serial/archive.hpp>
#include <imbrex/serial/copy_bytes.hpp>

namespace imbrex::detail {

/// A number in as few bytes as it needs: a network sends two lines of the cache faster than three.
void pack_long_number(std::uint64_t number, writer& out);
std::uint64_t unpack_long_number(std::uint8_t first, reader& in);
/// Seven bits to a byte, the lowest first; the eighth says that more follow.
inline void pack_number(std::uint64_t number, writer& out) {
  if (number > 0x7f) return pack_long_number(number, out);
  out.number(static_cast<std::uint8_t>(number));
}
inline std::uint64_t unpack_number(reader& in) {
  std::uint8_t first = 0;
  in.bytes(&first, 1);
  return first < 0x80 ? first : unpack_long_number(first, in);
}

/// How a collection's number stands in headers: the bit that sets single chares apart comes last, so that most are small.
inline std::uint64_t turned(std::uint64_t collection) { return std::rotl(collection, 1); }

/// A header without other parts, of numbers that take one byte each, as most are: written and read at once, as a number
/// that never lies in memory byte by byte, for which a read of them all would wait.
struct short_header {
  std::uint32_t bytes;  ///< from the lowest: the parts, which are none, the kind, the origin, the collection

  static bool fits(std::uint32_t id, std::uint32_t origin, std::uint64_t collection) {
    return (id | origin | turned(collection)) <= 0x7f;
  }
  static short_header of(std::uint32_t id, std::uint32_t origin, std::uint64_t collection) {
    return {id << 8U | origin << 16U | static_cast<std::uint32_t>(turned(collection)) << 24U};
  }
  bool is_short() const { return (bytes & 0x808080ffU) == 0; }
  std::uint32_t id() const { return bytes >> 8U & 0xffU; }
  std::uint32_t origin() const { return bytes >> 16U & 0xffU; }
  std::uint64_t collection() const { return std::rotr(std::uint64_t{bytes >> 24U}, 1); }
};
static_assert(sizeof(short_header) == 4 && std::endian::native == std::endian::little);

/// Writes to memory that has room, what `reader` and `short_input` read.
class short_output {
 public:
  explicit short_output(std::byte* room) : first_(room), at_(room) {}

  void bytes(const void* source, std::size_t count) {
    copy_bytes(at_, source, count);
    at_ += count;
  }
  template <class Value>
  void value(const Value& v) {
    std::memcpy(at_, std::addressof(v), sizeof v);
    at_ += sizeof v;
  }
  /// As `pack_number`.
  void number(std::uint64_t n) {
    for (; n > 0x7f; n >>= 7U) value(static_cast<std::uint8_t>(n | 0x80U));
    value(static_cast<std::uint8_t>(n));
  }
  /// A header without other parts, as `pack_header`.
  void header(std::uint32_t id, std::uint32_t origin, std::uint64_t collection) {
    if (short_header::fits(id, origin, collection)) return value(short_header::of(id, origin, collection));
    value(std::uint8_t{0});
    number(id);
    number(origin);
    number(turned(collection));
  }
  static constexpr std::size_t longest_header = 1 + 2 * 5 + 10;
  static constexpr std::size_t longest_number = 10;

  std::size_t size() const { return static_cast<std::size_t>(at_ - first_); }

 private:
  std::byte* first_;
  std::byte* at_;
};

/// Reads the bytes of a short message, which may come from anywhere. After the first thing that is not there, or cannot
/// be, all that is read is zero.
class short_input {
 public:
  explicit short_input(std::span<const std::byte> bytes) : left_(bytes) {}

  void refuse() { is_good_ = false; }
  bool is_good() const { return is_good_; }
  bool is_read() const { return is_good_ && left_.empty(); }
  std::size_t left() const { return left_.size(); }

  std::span<const std::byte> bytes(std::size_t count) {
    is_good_ = is_good_ && count <= left_.size();
    if (!is_good_) return {};
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  template <class Value>
  Value value() {
    std::array<std::byte, sizeof(Value)> raw{};
    const auto there = bytes(sizeof(Value));
    if (is_good_) std::memcpy(raw.data(), there.data(), sizeof(Value));
    return std::bit_cast<Value>(raw);
  }
  std::uint64_t number() {
    const auto first = value<std::uint8_t>();
    return first < 0x80 ? first : long_number(first);
  }

 private:
  std::uint64_t long_number(std::uint8_t first);

  std::span<const std::byte> left_;
  bool is_good_ = true;
};

}  // namespace imbrex::detail
