// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/timer.hpp>

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include <imbrex/base/random.hpp>

namespace imbrex::detail {
namespace {

TEST(timer_heap, gives_what_is_due_earliest_first) {
  timer_heap heap;
  timer a;
  timer b;
  a.deadline = nanoseconds(20);
  b.deadline = nanoseconds(10);
  heap.add(a);
  heap.add(b);
  EXPECT_EQ(heap.next_deadline(), nanoseconds(10));
  EXPECT_EQ(heap.take_due(nanoseconds(9)), nullptr);
  EXPECT_EQ(heap.take_due(nanoseconds(10)), &b);
  EXPECT_EQ(heap.take_due(nanoseconds(10)), nullptr);
  EXPECT_EQ(heap.take_due(nanoseconds(99)), &a);
  EXPECT_EQ(a.place, timer::nowhere);
  EXPECT_TRUE(heap.empty());
}

TEST(timer_heap, agrees_with_a_sorted_map_over_random_additions_and_removals) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    random dice(seed);
    timer_heap heap;
    std::vector<timer> timers(60);
    std::multimap<nanoseconds, timer*> model;
    for (int step = 0; step < 1000; ++step) {
      auto& t = timers[dice.below(timers.size())];
      if (t.place == timer::nowhere) {
        t.deadline = nanoseconds(dice.below(50));
        heap.add(t);
        model.emplace(t.deadline, &t);
      } else if (dice.below(2) == 0) {
        heap.remove(t);
        std::erase_if(model, [&](auto& entry) { return entry.second == &t; });
      } else if (const timer* due = heap.take_due(model.begin()->first)) {
        EXPECT_EQ(due->deadline, model.begin()->first);
        std::erase_if(model, [&](auto& entry) { return entry.second == due; });
      } else {
        ADD_FAILURE() << "the earliest is not due";
      }
      ASSERT_EQ(heap.empty(), model.empty());
      if (!model.empty()) {
        ASSERT_EQ(heap.next_deadline(), model.begin()->first);
      }
    }
  }
}

}  // namespace
}  // namespace imbrex::detail
