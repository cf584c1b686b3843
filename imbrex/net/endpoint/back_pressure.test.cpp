// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/back_pressure.hpp>

#include <gtest/gtest.h>

#include <imbrex/net/endpoint.hpp>

namespace imbrex::endpoints {
namespace {

constexpr std::size_t much = back_pressure::most_departing_bytes + 1;
constexpr std::size_t full = endpoint::most_unread + 1;

TEST(back_pressure, congests_where_much_has_not_left) {
  back_pressure mine;
  EXPECT_FALSE(mine.congested());
  mine.departs(much);
  EXPECT_TRUE(mine.congested());
  EXPECT_FALSE(mine.holds_off());
  mine.see_unread(full);
  EXPECT_TRUE(mine.holds_off());
  mine.departed(1);
  EXPECT_FALSE(mine.congested());
  EXPECT_FALSE(mine.holds_off());
}

TEST(back_pressure, moves_later_where_much_has_come) {
  back_pressure mine;
  mine.departs(back_pressure::many_departing_bytes + 1);
  EXPECT_TRUE(mine.is_much());
  mine.see_unread(full);
  EXPECT_FALSE(mine.is_much());
}

/// The time that passes between a look and the next that is allowed.
std::chrono::microseconds patience(back_pressure& mine, back_pressure::time_point& now) {
  std::chrono::microseconds waited{0};
  for (; !mine.begins_to_look(now); now += std::chrono::microseconds(1)) ++waited;
  return waited;
}

TEST(back_pressure, looks_more_rarely_the_more_comes) {
  back_pressure mine;
  back_pressure::time_point now{std::chrono::hours(1)};
  patience(mine, now);
  std::chrono::microseconds before = back_pressure::shortest_patience;
  for (int look = 0; look < 5; ++look) {
    mine.has_looked(now, full, 2, 1);
    const auto next = patience(mine, now);
    EXPECT_EQ(next, 2 * before);
    before = next;
  }
  mine.has_looked(now, full, 1, 1);
  EXPECT_EQ(patience(mine, now), before / 2);
  for (int look = 0; look < 30; ++look) mine.has_looked(now, full, 2, 1);
  EXPECT_EQ(patience(mine, now), back_pressure::longest_patience);
}

TEST(back_pressure, takes_a_long_message_where_nothing_leaves) {
  back_pressure mine;
  back_pressure::time_point now{std::chrono::hours(1)};
  EXPECT_FALSE(mine.has_looked(now, full, 0, 1));
  EXPECT_FALSE(mine.has_looked(now, full, 0, 0));
  now += back_pressure::shortest_patience;
  EXPECT_TRUE(mine.has_looked(now, full, 0, 0));
  EXPECT_FALSE(mine.has_looked(now, full, 0, 0));
  now += back_pressure::shortest_patience;
  EXPECT_FALSE(mine.has_looked(now, 3 * endpoint::most_unread, 0, 0));  // four times as long
  now += 3 * back_pressure::shortest_patience;
  EXPECT_TRUE(mine.has_looked(now, 3 * endpoint::most_unread, 0, 0));
}

}  // namespace
}  // namespace imbrex::endpoints
