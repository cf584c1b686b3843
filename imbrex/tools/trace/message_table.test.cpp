// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/message_table.hpp>

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

#include <imbrex/tools/trace/element_count.hpp>
#include <imbrex/tools/trace/log_histogram.hpp>

namespace imbrex::tools {
namespace {

TEST(MessageTable, DoesAsAMapDoes) {
  std::mt19937 random(4);
  message_table table;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> expected;
  for (std::uint64_t step = 1; step < 100'000; ++step) {
    const auto place = static_cast<std::uint32_t>(random() % 3) | (random() % 2 == 0 ? packed_place : 0);
    const std::uint64_t address = random() % 200 * 64;
    auto* const found = table.find(place, address);
    const auto known = expected.find({place, address});
    ASSERT_EQ(found != nullptr, known != expected.end());
    if (found == nullptr) {
      message_in_flight added;
      added.place = place;
      added.address = address;
      added.sent = step;
      table.add(added.place, added.address) = added;
      expected[{place, address}] = step;
    } else {
      EXPECT_EQ(found->sent, known->second);
      if (random() % 3 != 0) {
        table.erase(found);
        expected.erase(known);
      }
    }
    ASSERT_EQ(table.size(), expected.size());
    if (step % 1000 == 0) {
      std::uint64_t first = ~std::uint64_t{0};
      for (const auto& one : expected) first = std::min(first, one.second);
      EXPECT_EQ(table.first_sent(), first);
    }
    if (step % 20'000 == 0) {
      const auto limit = table.mean_sent();
      std::size_t forgotten = 0;
      table.erase_sent_before(limit, [&](const message_in_flight& old) {
        ++forgotten;
        EXPECT_EQ(expected.at({old.place, old.address}), old.sent);
      });
      EXPECT_EQ(forgotten, std::erase_if(expected, [&](const auto& one) { return one.second < limit; }));
      EXPECT_GT(forgotten, 0U);
    }
  }
}

TEST(ElementCount, KnowsWhatItHasSeen) {
  element_count count;
  std::mt19937 random(5);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, bool> seen;
  for (int step = 0; step < 50'000; ++step) {
    const std::uint32_t entry = random() % 4;
    const std::uint32_t collection = random() % 3;
    const std::uint64_t element = random() % 2000;
    auto& before = seen[{entry, collection, element}];
    ASSERT_EQ(count.add(entry, collection, element),
              before ? element_count::answer::known : element_count::answer::fresh);
    before = true;
  }
}

TEST(LogHistogram, HasThePercentilesOfTheNumbers) {
  std::mt19937_64 random(6);
  for (const int bits : {4, 10, 40, 64}) {
    log_histogram histogram;
    std::vector<std::uint64_t> numbers;
    for (int k = 0; k < 10'000; ++k) {
      numbers.push_back(random() >> (64 - bits));
      histogram.add(numbers.back());
    }
    std::sort(numbers.begin(), numbers.end());
    EXPECT_EQ(histogram.most(), numbers.back());
    std::array<std::uint64_t, 65> powers{};
    for (const auto number : numbers) ++powers[static_cast<std::size_t>(std::bit_width(number))];
    EXPECT_EQ(histogram.by_power_of_two(), powers);
    for (const double part : {0.01, 0.5, 0.9, 0.99, 1.0}) {
      const auto exact = numbers[static_cast<std::size_t>(part * 10'000) - 1];
      const auto width = static_cast<double>(exact) / 32;
      EXPECT_NEAR(static_cast<double>(histogram.percentile(part)), static_cast<double>(exact), width + 1);
    }
  }
  EXPECT_EQ(log_histogram{}.percentile(0.5), 0U);
  log_histogram alike;
  for (int k = 0; k < 3; ++k) alike.add(11'020);
  alike.add(90'000);
  EXPECT_EQ(alike.percentile(0.5), 11'020U);
}

}  // namespace
}  // namespace imbrex::tools
