// SPDX-License-Identifier: Apache-2.0
#include <imbrex/trace/clock_fit.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace imbrex::trace {
namespace {

/// Lead of process 0's clock in ns, at a time of the own clock.
using truth = std::function<double(std::uint64_t)>;

constexpr std::uint64_t second = 1'000'000'000;

/// A link with queues: a message takes `least`, and with probability `congestion` on average `queue` longer.
struct ways {
  double least = 200'000;
  double queue = 300'000;
  double congestion = 0.9;
};

class asker {
 public:
  asker(unsigned seed, const ways& w, truth t) : random_(seed), ways_(w), ahead_(std::move(t)) {}

  clock_reading ask(std::uint64_t sent_at) {
    const double there = way();
    const double back = way();
    const auto now = sent_at + static_cast<std::uint64_t>(there + back);
    const auto shown = static_cast<double>(sent_at) + there + ahead_(sent_at);
    const std::uint64_t between = sent_at + (now - sent_at) / 2;
    return {between, std::llround(shown - static_cast<double>(between)), now - sent_at};
  }

 private:
  double way() {
    const bool waits = std::bernoulli_distribution(ways_.congestion)(random_);
    return ways_.least + (waits ? std::exponential_distribution(1 / ways_.queue)(random_) : 0) +
           std::exponential_distribution(1 / 1'000.0)(random_);
  }

  std::mt19937_64 random_;
  ways ways_;
  truth ahead_;
};

clock_line line_of(unsigned seed, const ways& w, const truth& ahead, std::uint64_t from,
                   std::uint64_t until) {
  asker a(seed, w, ahead);
  clock_fit fit;
  for (std::uint64_t now = from; now < until; now += second / 8) EXPECT_TRUE(fit.add(a.ask(now)));
  return fit.line();
}

double worst_error(const clock_line& line, const truth& ahead, std::uint64_t from, std::uint64_t until) {
  double worst = 0;
  for (std::uint64_t now = from; now < until; now += second / 10) {
    const auto found = static_cast<std::int64_t>(line.aligned(now)) - static_cast<std::int64_t>(now);
    worst = std::max(worst, std::abs(static_cast<double>(found) - ahead(now)));
  }
  return worst;
}

TEST(ClockFit, FindsClocksThroughQueues) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    const double offset = std::uniform_real_distribution(-1e9, 1e9)(random);
    const double drift = std::uniform_real_distribution(-1e-4, 1e-4)(random);
    const std::uint64_t from = 100 * second;
    const std::uint64_t until = from + (2 + seed) * second;
    const truth ahead = [=](std::uint64_t t) {
      return offset + drift * static_cast<double>(t - 50 * second);
    };
    const auto line = line_of(seed, {.congestion = 0.5}, ahead, from, until);
    EXPECT_LT(worst_error(line, ahead, from, until), 10'000) << seed << ", " << drift;
  }
}

TEST(ClockFit, FollowsAClockThatChangesItsSpeed) {
  const truth ahead = [](std::uint64_t t) {
    return 5e6 + 2e5 * std::sin(static_cast<double>(t) / static_cast<double>(second) /
                                60);  // up to 3.3 us a second
  };
  const auto line = line_of(3, {.congestion = 0.5}, ahead, second, 600 * second);
  EXPECT_LT(worst_error(line, ahead, second, 600 * second), 10'000);
}

TEST(ClockFit, TakesNoSlopeFromNoise) {
  // The line is fitted to eight readings, all late.
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto line = line_of(seed, {.congestion = 1}, [](std::uint64_t) { return 0; }, second, 2 * second);
    const auto at_begin = static_cast<double>(line.aligned(second)) - static_cast<double>(second);
    const auto at_end = static_cast<double>(line.aligned(2 * second)) - static_cast<double>(2 * second);
    EXPECT_LT(std::abs(at_end - at_begin), 200'000) << seed;
  }
}

TEST(ClockFit, BelievesSingleReadings) {
  clock_fit fit;
  EXPECT_TRUE(fit.line().empty());
  EXPECT_TRUE(fit.add({1'000, -300, 41}));
  EXPECT_EQ(fit.line().aligned(5'000), 4'700U);
  EXPECT_EQ(fit.line().aligned(100), 0U);
  EXPECT_TRUE(fit.add({1'000, -300, 41}));
  EXPECT_EQ(fit.line().aligned(5'000), 4'700U);
  EXPECT_TRUE(fit.add({second + 1'000, 100, 41}));
  EXPECT_EQ(fit.line().aligned(second + 1'000), second + 1'100);
  EXPECT_EQ(fit.line().aligned(2 * second), 2 * second + 100);
  EXPECT_EQ(fit.line().aligned(1'000), 700U);
}

TEST(ClockFit, TakesNoSlopeFromASingleRow) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const ways link{.least = 50'000, .queue = 20'000, .congestion = 0.9};
    const truth ahead = [](std::uint64_t t) { return -7e6 + 5e-6 * static_cast<double>(t); };
    clock_fit fit;
    asker a(seed, link, ahead);
    std::uint64_t now = 3 * second;
    for (int question = 0; question < 16; ++question) {
      const auto reading = a.ask(now);
      EXPECT_TRUE(fit.add(reading));
      now += reading.round_trip;
    }
    EXPECT_LT(worst_error(fit.line(), ahead, 3 * second, 4 * second), 25'000) << seed;
  }
}

TEST(ClockFit, KeepsApartWhatLiesFarApart) {
  // A virtual machine pauses.
  const truth ahead = [](std::uint64_t t) { return t < 100 * second ? 1e6 : 3e6; };
  asker a(4, {.congestion = 0}, ahead);
  clock_fit fit;
  for (std::uint64_t now = second; now < 9 * second; now += second / 4) EXPECT_TRUE(fit.add(a.ask(now)));
  for (std::uint64_t now = 200 * second; now < 202 * second; now += second / 4)
    EXPECT_TRUE(fit.add(a.ask(now)));
  EXPECT_LT(worst_error(fit.line(), ahead, second, 4 * second), 5'000);
  EXPECT_LT(worst_error(fit.line(), ahead, 201 * second, 203 * second), 5'000);
}

TEST(ClockFit, RefusesWhatNoClockGives) {
  clock_fit fit;
  EXPECT_FALSE(fit.add({latest_time + 1, 0, 0}));
  EXPECT_FALSE(fit.add({0, 0, latest_time + 1}));
  EXPECT_FALSE(fit.add({0, INT64_MIN, 0}));
  EXPECT_FALSE(fit.add({0, INT64_MAX, 0}));
  EXPECT_TRUE(fit.add({50, 0, 0}));
  EXPECT_FALSE(fit.add({49, 0, 0}));
  EXPECT_TRUE(fit.add({latest_time, static_cast<std::int64_t>(latest_time), latest_time}));
  EXPECT_TRUE(fit.add({latest_time, -static_cast<std::int64_t>(latest_time), 0}));
  EXPECT_LE(fit.line().aligned(0), latest_time);
  EXPECT_LE(fit.line().aligned(latest_time), 3 * latest_time);
}

TEST(ClockLine, KeepsTimesInOrder) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    clock_line line;
    std::uint64_t here = random() % 1'000;
    for (auto knots = random() % 4; knots > 0; --knots) {
      line.add(here, static_cast<std::int64_t>(random() % 2'000) - 1'000);
      here += 1 + random() % 1'000;
    }
    std::vector<record> records;
    for (std::uint64_t time = 0; records.size() < 100; time += random() % 60)
      records.push_back({time, record_kind::mark, 0, 0, 0, 0, 0});
    const auto before = records;
    const std::uint64_t earliest = random() % 300;
    line.align(records, earliest);
    auto last = earliest;
    for (std::size_t k = 0; k < records.size(); ++k) {
      last = std::max(last, line.aligned(before[k].time));
      EXPECT_EQ(records[k].time, last);
    }
  }
}

}  // namespace
}  // namespace imbrex::trace
