// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include <imbrex/base/error.hpp>
#include <imbrex/core/message/reply_table.hpp>
#include <imbrex/core/name/singles.hpp>

namespace imbrex::detail {
namespace {

class nobody final : public reply_target {
 public:
  void accept(std::uint32_t, void*) override {}
  void fail(std::uint32_t, carried_exception) override {}
};

TEST(reply_table, uses_no_number_again_that_has_had_all_generations) {
  reply_table table(std::numeric_limits<std::uint32_t>::max());
  nobody who;
  const auto last = table.open(who);
  table.close(last);
  const auto next = table.open(who);
  EXPECT_NE(next.slot, last.slot);
  EXPECT_EQ(table.find(last), nullptr);
  EXPECT_EQ(table.find(next), &who);
}

TEST(single_keys, are_counted_beyond_32_bits) {
  constexpr std::uint64_t first = (std::uint64_t{1} << 32U) - 2;
  single_keys keys(256, first);
  for (std::uint64_t n = first; n < first + 4; ++n) {
    const auto key = keys.next(255, 254);
    EXPECT_EQ(keys.home(key), 255);
    EXPECT_EQ(keys.creator(key), 254);
    EXPECT_EQ(keys.number(key), n);
    EXPECT_FALSE(keys.was_created(key, false));
    keys.created(key);
    EXPECT_TRUE(keys.was_created(key, false));
  }
}

TEST(single_keys, of_saved_chares_are_not_those_of_new_ones) {
  for (const int pes : {1, 256, 257, 65'536}) {
    single_keys keys(pes);
    const auto saved = keys.key_of(pes - 1, 0, keys.first_saved());
    EXPECT_EQ(keys.home(saved), pes - 1);
    EXPECT_EQ(keys.creator(saved), 0);
    EXPECT_EQ(keys.number(saved), keys.first_saved());
    for (const bool has_saved : {false, true}) {
      EXPECT_TRUE(keys.was_created(saved, has_saved));
      EXPECT_EQ(keys.was_created(saved + 1, has_saved), has_saved);
      EXPECT_FALSE(keys.was_created(keys.next(pes - 1, 0), has_saved));
    }
  }
}

TEST(single_keys, are_not_used_twice) {
  single_keys keys(65'536, (std::uint64_t{1} << 31U) - 1);
  const auto last = keys.next(65'535, 7);
  EXPECT_EQ(keys.home(last), 65'535);
  EXPECT_EQ(keys.creator(last), 7);
  EXPECT_THROW(keys.next(65'535, 7), error);
}

}  // namespace
}  // namespace imbrex::detail
