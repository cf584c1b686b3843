// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/run_queue.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace imbrex::detail {
namespace {

std::vector<work> items_with(std::vector<int> priorities) {
  std::vector<work> items(priorities.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i].priority = static_cast<std::int8_t>(priorities[i]);
  return items;
}

std::vector<long> drained(run_queue& q, const std::vector<work>& items) {
  std::vector<long> order;
  while (work* w = q.pop()) order.push_back(w - items.data());
  return order;
}

TEST(run_queue, takes_the_lowest_priority_first_and_fifo_within_one) {
  run_queue q(std::nullopt);
  EXPECT_TRUE(q.empty());
  EXPECT_EQ(q.pop(), nullptr);
  auto items = items_with({0, 31, -32, 0, -1, -32, 31, 1, 0});
  for (auto& i : items) q.push(i);
  EXPECT_FALSE(q.empty());
  EXPECT_EQ(drained(q, items), (std::vector<long>{2, 5, 4, 0, 3, 8, 7, 1, 6}));
  EXPECT_TRUE(q.empty());
}

TEST(run_queue, with_a_seed_loses_nothing_and_varies) {
  std::set<std::vector<long>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    run_queue q(seed);
    auto items = items_with(std::vector<int>(10, 0));
    for (auto& i : items) q.push(i);
    auto order = drained(q, items);
    orders.insert(order);
    EXPECT_EQ(std::set<long>(order.begin(), order.end()).size(), 10U);
    run_queue again(seed);
    for (auto& i : items) again.push(i);
    EXPECT_EQ(drained(again, items), order);
  }
  EXPECT_GT(orders.size(), 15U);
}

}  // namespace
}  // namespace imbrex::detail
