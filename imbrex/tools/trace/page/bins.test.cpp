// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/page/bins.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace imbrex::tools {
namespace {

struct thing {
  std::uint32_t what;
  interval time;
  std::uint64_t amount;
};

/// Things in the order of their ends; some last as long as the run.
std::vector<thing> random_things(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<thing> all;
  std::uint64_t now = 0;
  for (int k = 0; k < 2000; ++k) {
    now += random() % 300;
    const std::uint64_t length = random() % 10 == 0 ? random() % (now + 1) : std::min<std::uint64_t>(now, 40);
    all.push_back({static_cast<std::uint32_t>(random() % 9), {now - length, now}, random() % 1000});
  }
  return all;
}

std::uint64_t common(const interval& l, const interval& r) {
  const auto begin = std::max(l.begin, r.begin);
  return std::max(begin, std::min(l.end, r.end)) - begin;
}

TEST(Bins, HoldWhatLiesInThemHoweverOftenTheyWereWidened) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto things = random_things(seed);
    bin_scale scale{16, 37 + seed};
    share_bins shares;
    load_bins loads;
    for (const thing& one : things) {
      for (; !scale.reaches(one.time.end); scale.width *= 2) {
        shares.fold();
        loads.fold(scale);
      }
      shares.add(scale, one.what, one.time);
      loads.add(scale, one.time, one.amount);
    }
    const auto got = loads.loads(scale);
    ASSERT_LE(shares.bins().size(), scale.bins);
    for (std::size_t k = 0; k < scale.bins; ++k) {
      const interval bin{k * scale.width, (k + 1) * scale.width};
      std::map<std::uint32_t, std::uint64_t> expected;
      double count = 0;
      double amount = 0;
      for (const thing& one : things) {
        const auto inside = common(bin, one.time);
        if (inside > 0) expected[one.what] += inside;
        count += static_cast<double>(inside);
        amount += static_cast<double>(inside) * static_cast<double>(one.amount);
      }
      std::map<std::uint32_t, std::uint64_t> found;
      if (k < shares.bins().size())
        for (const share& one : shares.bins()[k]) found[one.what] += one.time;
      EXPECT_EQ(found, expected);
      EXPECT_DOUBLE_EQ(k < got.size() ? got[k].count : 0, count);
      EXPECT_NEAR(k < got.size() ? got[k].amount : 0, amount, 1e-9 * amount);
    }
  }
}

TEST(Bins, LoseNoTimeWhereTooManyThingsHappen) {
  share_bins shares;
  const bin_scale scale{1'000'000, 4};
  for (std::uint32_t k = 0; k < 500; ++k) shares.add(scale, k * 7 % 500, {k * 10, k * 10 + 10});
  std::uint64_t all = 0;
  ASSERT_LT(shares.bins()[0].size(), 100U);
  for (const share& one : shares.bins()[0]) all += one.time;
  EXPECT_EQ(all, 5000U);
  EXPECT_EQ(shares.bins()[0].back().what, other_things);
}

TEST(Bins, TellApartWhatTookLongAndWhatTheyAlwaysDoWhereTooManyThingsHappen) {
  share_bins shares;
  const bin_scale scale{1'000'000, 4};
  std::uint64_t now = 0;
  const auto add = [&](std::uint32_t what, std::uint64_t time) {
    shares.add(scale, what, {now, now + time});
    now += time;
  };
  for (std::uint32_t k = 0; k < 70; ++k) {
    add(k, 2);
    add(always_apart + k % 3, 8);
  }
  add(70, 5000);
  for (std::uint32_t k = 71; k < 140; ++k) add(k, 2);
  std::map<std::uint32_t, std::uint64_t> found;
  for (const share& one : shares.bins()[0]) found[one.what] = one.time;
  EXPECT_EQ(found[70], 5000U);
  EXPECT_EQ(found[always_apart] + found[always_apart + 1] + found[always_apart + 2], 560U);
  EXPECT_GT(found[other_things], 200U);
  EXPECT_LT(found[other_things], 280U);
}

}  // namespace
}  // namespace imbrex::tools
