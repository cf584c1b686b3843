// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/upper_half_order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace imbrex::trace {
namespace {

TEST(UpperHalfOrder, IsThatOfASort) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> room;
  for (const std::size_t count : {0U, 1U, 2U, 511U, 512U, 513U, 20'000U}) {
    for (unsigned bits = 0; bits <= 32; ++bits) {
      std::vector<std::uint64_t> numbers;
      for (std::uint64_t k = 0; k < count; ++k)
        numbers.push_back((random() & ((std::uint64_t{1} << bits) - 1)) << 32U | (3 * k + random() % 3));
      auto expected = numbers;
      std::sort(expected.begin(), expected.end());
      sort_by_upper_half(numbers, room);
      ASSERT_EQ(numbers, expected) << count << " of " << bits << " bits";
    }
  }
}

}  // namespace
}  // namespace imbrex::trace
