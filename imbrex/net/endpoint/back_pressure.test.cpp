// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/endpoint/back_pressure.hpp>

#include <gtest/gtest.h>

#include <imbrex/net/endpoint.hpp>

namespace imbrex::endpoints {
namespace {

constexpr std::size_t much = back_pressure::most_departing_bytes + 1;
constexpr std::size_t full = detail::endpoint::most_unread + 1;

TEST(back_pressure, congests_where_much_has_not_left) {
  back_pressure pressure;
  EXPECT_FALSE(pressure.congested());
  pressure.departs(much);
  EXPECT_TRUE(pressure.congested());
  EXPECT_FALSE(pressure.holds_off());
  pressure.see_unread(full);
  EXPECT_TRUE(pressure.holds_off());
  pressure.departed(1);
  EXPECT_FALSE(pressure.congested());
  EXPECT_FALSE(pressure.holds_off());
}

TEST(back_pressure, moves_later_where_much_has_come) {
  back_pressure pressure;
  pressure.departs(back_pressure::many_departing_bytes + 1);
  EXPECT_TRUE(pressure.is_much());
  pressure.see_unread(full);
  EXPECT_FALSE(pressure.is_much());
}

/// The time between a poll and the next that is allowed.
std::chrono::microseconds patience(back_pressure& pressure, back_pressure::time_point& now) {
  std::chrono::microseconds waited{0};
  for (; !pressure.begins_to_look(now); now += std::chrono::microseconds(1)) ++waited;
  return waited;
}

TEST(back_pressure, looks_more_rarely_the_more_comes) {
  back_pressure pressure;
  back_pressure::time_point now{std::chrono::hours(1)};
  patience(pressure, now);
  std::chrono::microseconds before = back_pressure::shortest_patience;
  for (int look = 0; look < 5; ++look) {
    pressure.has_looked(now, full, 2, 1);
    const auto next = patience(pressure, now);
    EXPECT_EQ(next, 2 * before);
    before = next;
  }
  pressure.has_looked(now, full, 1, 1);
  EXPECT_EQ(patience(pressure, now), before / 2);
  for (int look = 0; look < 30; ++look) pressure.has_looked(now, full, 2, 1);
  EXPECT_EQ(patience(pressure, now), back_pressure::longest_patience);
}

TEST(back_pressure, takes_a_long_message_where_nothing_leaves) {
  back_pressure pressure;
  back_pressure::time_point now{std::chrono::hours(1)};
  EXPECT_FALSE(pressure.has_looked(now, full, 0, 1));
  EXPECT_FALSE(pressure.has_looked(now, full, 0, 0));
  now += back_pressure::shortest_patience;
  EXPECT_TRUE(pressure.has_looked(now, full, 0, 0));
  EXPECT_FALSE(pressure.has_looked(now, full, 0, 0));
  now += back_pressure::shortest_patience;
  EXPECT_FALSE(pressure.has_looked(now, 3 * detail::endpoint::most_unread, 0, 0));  // the required time has
                                                                                    // grown fourfold
  now += 3 * back_pressure::shortest_patience;
  EXPECT_TRUE(pressure.has_looked(now, 3 * detail::endpoint::most_unread, 0, 0));
}

}  // namespace
}  // namespace imbrex::endpoints
