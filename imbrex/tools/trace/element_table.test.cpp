// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/element_table.hpp>

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace imbrex::tools {
namespace {

TEST(element_table, finds_what_it_has_again) {
  std::mt19937_64 random(1);
  element_table table;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> places;
  for (int k = 0; k < 20'000; ++k) {
    const std::pair<std::uint32_t, std::uint64_t> which(random() % 3,
                                                        k % 2 == 0 ? random() % 5000 : random());
    const std::uint32_t place = table.place_of(which.first, which.second, 7);
    EXPECT_GE(place, element_table::first);
    EXPECT_EQ(places.try_emplace(which, place).first->second, place);
    ++table[place].calls;
  }
  EXPECT_EQ(table.accounts().size(), places.size() + element_table::first);
  std::uint64_t calls = 0;
  for (const auto& [which, place] : places) {
    const element_account& one = table.accounts()[place];
    EXPECT_EQ(std::pair(one.collection, one.element), which);
    EXPECT_EQ(one.file, 7U);
    calls += one.calls;
  }
  EXPECT_EQ(calls, 20'000U);
}

TEST(element_table, keeps_a_million_and_takes_the_others_for_one) {
  element_table table;
  for (std::uint64_t element = 0; element < element_table::most; ++element)
    ASSERT_NE(table.place_of(1, element, 0), element_table::others);
  EXPECT_TRUE(table.is_full());
  EXPECT_EQ(table.place_of(1, element_table::most, 0), element_table::others);
  EXPECT_NE(table.place_of(1, 5, 0), element_table::others);
}

}  // namespace
}  // namespace imbrex::tools
