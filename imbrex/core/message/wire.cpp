// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/wire.hpp>

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

void throw_too_long(std::uint64_t number) {
  throw serial_error("malformed message: " + std::to_string(number) + " in a header does not fit 32 bits");
}

}  // namespace imbrex::detail
