// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/wire.hpp>

#include <limits>
#include <string>

#include <imbrex/serial/error.hpp>

namespace imbrex::detail {

template void pack_long_number(std::uint64_t number, writer& out);

std::uint64_t unpack_long_number(std::uint8_t first, reader& in) {
  std::uint64_t number = first & 0x7fU;
  for (unsigned shift = 7; shift < 64; shift += 7) {
    std::uint8_t byte = 0;
    in.bytes(&byte, 1);
    if (shift == 63 && byte > 1) break;
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
  throw serial_error("malformed message: a number of more than 64 bits");
}

std::uint32_t unpack_short_number(reader& in) {
  const std::uint64_t number = unpack_number(in);
  if (number > std::numeric_limits<std::uint32_t>::max()) [[unlikely]]
    throw serial_error("malformed message: " + std::to_string(number) + " in a header does not fit 32 bits");
  return static_cast<std::uint32_t>(number);
}

long_header unpack_long_header(reader& in) {
  long_header header{};
  in(header.parts);
  header.numbers.kind = unpack_short_number(in);
  header.numbers.origin = unpack_short_number(in);
  header.numbers.collection = std::rotr(unpack_number(in), 1);
  return header;
}

}  // namespace imbrex::detail
