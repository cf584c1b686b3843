// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/overlap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace imbrex::tools {
namespace {

/// Sets of moments with one flag each: the simplest form of a union of intervals.
using moments = std::vector<char>;

void mark(moments& in, interval i) {
  for (auto t = i.begin; t < i.end; ++t) in[t] = 1;
}
std::uint64_t marked(const moments& in) {
  return static_cast<std::uint64_t>(std::count(in.begin(), in.end(), 1));
}

TEST(IntervalSet, IsTheUnionOfWhatWasAddedInAnyOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    moments expected(200);
    interval_set set;
    for (auto left = random() % 20; left > 0; --left) {
      const std::uint64_t begin = random() % 190;
      const interval added{begin, begin + random() % 10};
      set.add(added);
      mark(expected, added);
    }
    moments got(200);
    std::uint64_t last = 0;
    for (const interval& piece : set.pieces()) {
      EXPECT_TRUE(piece.begin < piece.end && (last == 0 || piece.begin > last));
      last = piece.end;
      mark(got, piece);
    }
    ASSERT_EQ(got, expected);
  }
}

TEST(IntervalSet, CutsAndCountsWhatReachesBackToWhatIsForgotten) {
  interval_set set;
  set.add({10, 20});
  set.add({30, 50});
  set.forget_until(40);
  set.add({5, 45});
  set.add({6, 8});
  ASSERT_EQ(set.pieces().size(), 1U);
  EXPECT_EQ(set.pieces()[0].begin, 40U);
  EXPECT_EQ(set.pieces()[0].end, 50U);
  EXPECT_EQ(set.cut(), 2U);
  EXPECT_EQ(set.cut_time(), 35U + 2U);
}

TEST(TimelineOverlap, IsExactWhileIntervalsReachBackOverLessThanIsKept) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    constexpr std::size_t kept = 8;
    timeline_overlap overlap(kept);
    std::vector<pe_state> states;
    moments expected(5000);
    moments expected_of_second(5000);
    while (states.size() < 1000) {
      const auto state = static_cast<pe_state>(random() % pe_states);
      states.insert(states.end(), 1 + random() % 9, state);
      overlap.extend(states.size(), state);
      const std::uint64_t end = states.size() - std::min<std::uint64_t>(random() % 4, states.size());
      const interval added{end - std::min<std::uint64_t>(random() % (kept - 4), end), end};
      const bool to_second = random() % 3 == 0;
      overlap.add(added, to_second ? 1 : 0);
      mark(to_second ? expected_of_second : expected, added);
    }
    overlap.finish();
    const auto times = [&](const moments& of) {
      timeline_overlap::state_times sums{};
      for (std::size_t t = 0; t < states.size(); ++t)
        if (of[t] != 0) ++sums[static_cast<std::size_t>(states[t])];
      return sums;
    };
    ASSERT_EQ(overlap.times(), times(expected));
    ASSERT_EQ(overlap.times(1), times(expected_of_second));
    EXPECT_EQ(overlap.cut(), 0U);
    EXPECT_EQ(overlap.length(), marked(expected));
  }
}

TEST(TimelineOverlap, IsAsExactWhereItIsToldHowFarIntervalsReachBack) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    timeline_overlap overlap(5000);
    timeline_overlap keeping_all(5000);
    std::uint64_t reach = 0;
    const auto add = [&](std::uint64_t begin, std::uint64_t end) {
      const std::size_t set = random() % 2;
      overlap.add({begin, end}, set);
      keeping_all.add({begin, end}, set);
    };
    for (std::uint64_t now = 1; now < 4000; now += 1 + random() % 3) {
      const auto state = static_cast<pe_state>(random() % pe_states);
      overlap.extend(now, state, reach);
      keeping_all.extend(now, state);
      if (random() % 20 == 0) reach = std::max(reach, now - std::min<std::uint64_t>(now, random() % 200));
      add(reach + random() % (now - reach + 1), now);
      if (random() % 100 == 0) add(reach, now);
    }
    overlap.finish();
    keeping_all.finish();
    EXPECT_EQ(overlap.times(0), keeping_all.times(0));
    EXPECT_EQ(overlap.times(1), keeping_all.times(1));
    EXPECT_EQ(overlap.cut(), 0U);
  }
}

TEST(TimelineOverlap, CountsWhatReachesBackFurther) {
  timeline_overlap overlap(2);
  for (std::uint64_t t = 1; t <= 100; ++t)
    overlap.extend(10 * t, t % 2 == 0 ? pe_state::program : pe_state::runtime);
  overlap.add({0, 1000});
  overlap.finish();
  EXPECT_EQ(overlap.cut(), 1U);
  EXPECT_EQ(overlap.cut_time() + overlap.length(), 1000U);
  EXPECT_GE(overlap.length(), 20U);
}

TEST(UnionOverlap, IsThatOfTwoSetsOfMoments) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    union_overlap overlap(round % 2 == 0 ? 4 : 1000);
    moments first(3000);
    moments second(3000);
    for (std::uint64_t now = 10; now < 2900; now += random() % 9) {
      const interval added{now - random() % 3, now};
      if (random() % 2 == 0) {
        overlap.add_first(added);
        mark(first, added);
      } else {
        overlap.add_second(added);
        mark(second, added);
      }
    }
    overlap.finish();
    EXPECT_EQ(overlap.cut(), 0U);
    EXPECT_EQ(overlap.first(), marked(first));
    EXPECT_EQ(overlap.second(), marked(second));
    moments both(3000);
    for (std::size_t t = 0; t < both.size(); ++t) both[t] = static_cast<char>(first[t] & second[t]);
    EXPECT_EQ(overlap.both(), marked(both));
  }
}

}  // namespace
}  // namespace imbrex::tools
