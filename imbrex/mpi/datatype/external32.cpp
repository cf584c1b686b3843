// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/external32.hpp>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>

namespace imbrex::mpi {

namespace {

static_assert(std::endian::native == std::endian::little,
              "external32 is written for processors of this order");

/// Number of parts of an element whose bytes are reversed separately.
int parts_of(element e) {
  switch (e) {
    case element::complex64:
    case element::complex128:
    case element::long_complex:
    case element::complex256: return 2;
    default: return 1;
  }
}

bool is_signed(element e) { return e == element::long_integer || e == element::wide_character; }
bool is_long(element e) { return e == element::long_float || e == element::long_complex; }

// C's 80-bit long double stores the leading bit of its mantissa; the external 128-bit format does not.
// Exponents and signs are the same.
constexpr bool has_leading_bit = LDBL_MANT_DIG == 64;

void write_long(const std::byte* number, std::byte* to) {
  std::uint64_t mantissa;
  std::uint16_t exponent;
  std::memcpy(&mantissa, number, 8);
  std::memcpy(&exponent, number + 8, 2);
  const std::uint64_t high = std::uint64_t(exponent) << 48 | (mantissa & ~(std::uint64_t(1) << 63)) >> 15;
  const std::uint64_t low = mantissa << 49;
  for (int i = 0; i < 8; ++i) {
    to[i] = std::byte(high >> (56 - 8 * i));
    to[8 + i] = std::byte(low >> (56 - 8 * i));
  }
}

void read_long(const std::byte* from, std::byte* number) {
  std::uint64_t high = 0, low = 0;
  for (int i = 0; i < 8; ++i) {
    high = high << 8 | std::uint64_t(from[i]);
    low = low << 8 | std::uint64_t(from[8 + i]);
  }
  const auto exponent = std::uint16_t(high >> 48);
  std::uint64_t mantissa = (high << 15 | low >> 49) & ~(std::uint64_t(1) << 63);
  if ((exponent & 0x7fff) != 0) mantissa |= std::uint64_t(1) << 63;
  std::memset(number, 0, sizeof(long double));
  std::memcpy(number, &mantissa, 8);
  std::memcpy(number + 8, &exponent, 2);
}

struct external_packer {
  std::byte* to;
  void operator()(element e, std::uintptr_t at, std::int64_t count) {
    const auto* from = reinterpret_cast<const std::byte*>(at);
    const int parts = parts_of(e), size = size_of(e) / parts, external = external_size_of(e) / parts;
    for (std::int64_t i = 0; i < count * parts; ++i, from += size, to += external)
      if (has_leading_bit && is_long(e))
        write_long(from, to);
      else
        std::reverse_copy(from, from + external, to);  // low bytes of a value that is narrowed
  }
};

struct external_unpacker {
  const std::byte* from;
  void operator()(element e, std::uintptr_t at, std::int64_t count) {
    auto* to = reinterpret_cast<std::byte*>(at);
    const int parts = parts_of(e), size = size_of(e) / parts, external = external_size_of(e) / parts;
    for (std::int64_t i = 0; i < count * parts; ++i, from += external, to += size)
      if (has_leading_bit && is_long(e)) {
        read_long(from, to);
      } else {
        std::reverse_copy(from, from + external, to);
        const bool is_negative = is_signed(e) && std::to_integer<int>(from[0]) >= 0x80;
        std::fill(to + external, to + size, std::byte(is_negative ? 0xff : 0));
      }
  }
};

}  // namespace

void pack_external(const typed_buffer& from, std::byte* to) {
  external_packer p{to};
  from.type->visit_elements(reinterpret_cast<std::uintptr_t>(from.memory), from.count, p);
}

void unpack_external(const std::byte* from, const typed_buffer& to) {
  external_unpacker u{from};
  to.type->visit_elements(reinterpret_cast<std::uintptr_t>(to.memory), to.count, u);
}

}  // namespace imbrex::mpi
