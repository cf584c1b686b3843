// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/argument.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

std::string integer_text(std::int64_t value) { return std::to_string(value); }
std::string integer_text(std::uint64_t value) { return std::to_string(value); }

#ifdef __SIZEOF_INT128__
std::string integer_text(uint128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

std::string integer_text(int128 value) {
  const auto magnitude = static_cast<uint128>(value);
  return value < 0 ? "-" + integer_text(-magnitude) : integer_text(magnitude);
}
#endif

void throw_lost_integer(std::string_view chare_name, std::string_view entry_name, std::size_t number,
                        const std::string& value, std::string_view argument, std::string_view parameter) {
  throw error("argument " + std::to_string(number) + " of " + std::string(short_name(chare_name)) +
              "::" + std::string(entry_name) + " is " + value + ", of type " + std::string(argument) +
              ", which does not fit into its " + std::string(parameter) + ": give it a wider type");
}

}  // namespace imbrex::detail
