// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/wire.hpp>

#include <optional>

#include <imbrex/serial/error.hpp>

namespace imbrex::detail {

void pack_long_number(std::uint64_t number, writer& out) {
  for (; number > 0x7f; number >>= 7U) out(static_cast<std::uint8_t>(number | 0x80U));
  out(static_cast<std::uint8_t>(number));
}

namespace {

/// What follows the first byte of a number of several; null if they are more than 64 bits.
template <class NextByte>
std::optional<std::uint64_t> long_number(std::uint8_t first, const NextByte& next) {
  std::uint64_t number = first & 0x7fU;
  for (unsigned shift = 7; shift < 64; shift += 7) {
    const std::uint8_t byte = next();
    if (shift == 63 && byte > 1) break;
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t unpack_long_number(std::uint8_t first, reader& in) {
  const auto number = long_number(first, [&in] {
    std::uint8_t byte = 0;
    in.bytes(&byte, 1);
    return byte;
  });
  if (!number) throw serial_error("malformed message: a number of more than 64 bits");
  return *number;
}

std::uint64_t short_input::long_number(std::uint8_t first) {
  const auto number = detail::long_number(first, [this] { return value<std::uint8_t>(); });
  if (!number) refuse();
  return number.value_or(0);
}

}  // namespace imbrex::detail
