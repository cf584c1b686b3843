// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/narrowed.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::detail {
namespace {

static_assert(always_fits<int, short> && always_fits<int, int> && always_fits<int, std::uint16_t>);
static_assert(!always_fits<int, unsigned> && !always_fits<int, long> && !always_fits<unsigned, short>);
static_assert(always_fits<std::int64_t, std::uint32_t> && !always_fits<std::int64_t, std::uint64_t>);
static_assert(fits<int>(-1L) && !fits<unsigned>(-1) && fits<unsigned>(1L) && !fits<unsigned>(1L << 32));
static_assert(fits<int>(2147483647U) && !fits<int>(2147483648U) && !fits<int>(-2147483649L));
static_assert(narrow<int, index_words>(std::uint64_t{7}) == 7);

TEST(narrowed, refuses_what_does_not_fit) {
  EXPECT_EQ(testing::error_of<error>([&] { narrow<int, index_words>((std::int64_t{1} << 32) + 2); }),
            "the index or extent 4294967298 does not fit: it must be from -2147483648 to 2147483647; "
            "give the array more dimensions, or a key of another type: chare<T, std::uint64_t>");
}

TEST(narrowed, takes_what_an_int_takes) {
  enum plain { seven = 7 };
  const auto to_int = [](narrowed<int, pe_words> pe) { return static_cast<int>(pe); };
  EXPECT_EQ(to_int(seven), 7);
  EXPECT_EQ(to_int('a'), 'a');
  EXPECT_EQ(to_int(true), 1);
  EXPECT_EQ(to_int(std::uint64_t{7}), 7);
  EXPECT_EQ(to_int(std::atomic<int>(7)), 7);
  EXPECT_THROW(to_int(std::uint64_t{1} << 63), error);
  EXPECT_THROW(to_int(-(std::int64_t{1} << 32)), error);
}

}  // namespace
}  // namespace imbrex::detail
