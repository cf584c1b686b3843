// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/moment_heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include <imbrex/base/random.hpp>

namespace imbrex {
namespace {

TEST(moment_heap, has_the_earliest_first_and_of_equal_ones_the_least_number) {
  moment_heap heap;
  EXPECT_TRUE(heap.empty());
  heap.set(7, nanoseconds(20));
  heap.set(3, nanoseconds(20));
  heap.set(5, nanoseconds(30));
  EXPECT_EQ(heap.first().which, 3);
  heap.set(5, nanoseconds(10));
  EXPECT_EQ(heap.first().which, 5);
  EXPECT_EQ(heap.first().when, nanoseconds(10));
  heap.erase(5);
  EXPECT_FALSE(heap.has(5));
  heap.set(3, nanoseconds(21));
  EXPECT_EQ(heap.first().which, 7);
}

TEST(moment_heap, forgets_what_it_does_not_have) {
  moment_heap heap;
  heap.erase(4);
  EXPECT_FALSE(heap.has(4));
  heap.set(1, nanoseconds(1));
  heap.erase(1);
  heap.erase(1);
  EXPECT_TRUE(heap.empty());
}

/// Compares with a map that is searched.
TEST(moment_heap, agrees_with_a_search) {
  random dice(11);
  moment_heap heap;
  std::map<int, nanoseconds> plain;
  for (int i = 0; i < 20'000; ++i) {
    const int which = static_cast<int>(dice.below(60));
    if (dice.below(3) == 0) {
      heap.erase(which);
      plain.erase(which);
    } else {
      const nanoseconds when(dice.below(40));
      heap.set(which, when);
      plain[which] = when;
    }
    ASSERT_EQ(heap.empty(), plain.empty());
    ASSERT_EQ(heap.has(which), plain.contains(which));
    if (plain.empty()) continue;
    std::pair<nanoseconds, int> first(nanoseconds::max(), 0);
    for (const auto& [number, moment] : plain) first = std::min(first, {moment, number});
    ASSERT_EQ(std::pair(heap.first().when, heap.first().which), first);
  }
}

}  // namespace
}  // namespace imbrex
