// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/transport/outbox.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace imbrex::resident {
namespace {

TEST(outbox, tries_in_rotation) {
  std::array<kept_item<>, 12> memory;
  outbox<native_memory> out{memory.data(), 12};
  for (std::uint32_t n = 0; n < 12; ++n) out.keep({{n, 0}, n, 0});
  EXPECT_TRUE(out.full());
  std::vector<std::uint64_t> got;
  const auto only_the_last = [&got](const kept_item<>& one) {
    if (one.to == 11) got.push_back(one.what.body);
    return one.to == 11;
  };
  out.retry(only_the_last, 8);
  EXPECT_TRUE(got.empty());
  out.retry(only_the_last, 8);
  EXPECT_EQ(got, std::vector<std::uint64_t>{11});
  EXPECT_EQ(out.count, 11U);
}

TEST(outbox, tries_each_as_often) {
  std::array<kept_item<>, 5> memory;
  outbox<native_memory> out{memory.data(), 5};
  for (std::uint32_t n = 0; n < 5; ++n) out.keep({{n, 0}, n, 0});
  std::array<int, 5> tries{};
  for (int turn = 0; turn < 10; ++turn)
    out.retry(
        [&tries](const kept_item<>& one) {
          ++tries[one.to];
          return false;
        },
        3);
  for (const int n : tries) EXPECT_EQ(n, 6);
}

TEST(outbox, tries_each_once_where_it_has_few) {
  std::array<kept_item<>, 5> memory;
  outbox<native_memory> out{memory.data(), 5};
  for (std::uint32_t n = 0; n < 3; ++n) out.keep({{n, 0}, n, 0});
  int tries = 0;
  out.retry([&tries](const kept_item<>&) { return ++tries == 2; }, 8);
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(out.count, 2U);
}

TEST(outbox, empties) {
  std::array<kept_item<>, 5> memory;
  outbox<native_memory> out{memory.data(), 5};
  for (std::uint32_t n = 0; n < 5; ++n) out.keep({{n, 0}, n, 0});
  std::vector<std::uint64_t> got;
  out.retry([&got](const kept_item<>& one) {
    got.push_back(one.what.body);
    return true;
  });
  EXPECT_EQ(got.size(), 5U);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace imbrex::resident
