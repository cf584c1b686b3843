// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/upper_half_order.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace imbrex::trace {

namespace {

constexpr unsigned most_bits = 11;             // in a digit: the counters stay in the nearest cache
constexpr std::size_t few_numbers = 1U << 9U;  // for fewer numbers the counters do not pay

void distribute(const std::vector<std::uint64_t>& from, std::vector<std::uint64_t>& to, unsigned shift,
                std::uint64_t mask) {
  std::array<std::uint32_t, std::size_t{1} << most_bits> places{};
  for (const std::uint64_t number : from) ++places[number >> shift & mask];
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit <= mask; ++digit) {
    const std::uint32_t count = places[digit];
    places[digit] = place;
    place += count;
  }
  for (const std::uint64_t number : from) to[places[number >> shift & mask]++] = number;
}

}  // namespace

void sort_by_upper_half(std::vector<std::uint64_t>& numbers, std::vector<std::uint64_t>& room) {
  if (numbers.size() < few_numbers) {
    std::sort(numbers.begin(), numbers.end());
    return;
  }
  std::uint64_t all = 0;
  for (const std::uint64_t number : numbers) all |= number;
  const auto bits = static_cast<unsigned>(std::bit_width(all >> 32U));
  const unsigned digits = (bits + most_bits - 1) / most_bits;
  room.resize(numbers.size());
  for (unsigned digit = 0; digit < digits; ++digit) {
    const unsigned digit_bits = (bits + digits - 1) / digits;
    distribute(numbers, room, 32 + digit * digit_bits, (std::uint64_t{1} << digit_bits) - 1);
    numbers.swap(room);
  }
}

}  // namespace imbrex::trace
