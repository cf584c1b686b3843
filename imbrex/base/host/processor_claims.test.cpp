// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/processor_claims.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

#include <imbrex/base/host/processor_mask.hpp>

namespace {

using namespace imbrex::detail;

std::vector<int> processors_of_this_thread() { return processors_in(affinity_of_this_thread()); }

constexpr processor_claims::times for_ever{std::chrono::hours(1), std::chrono::nanoseconds(0)};

/// True if threads may move: some sandboxes do not let them choose their processors.
bool may_move() { return set_affinity_of_this_thread(affinity_of_this_thread()); }

/// Frees the thread's place for certain.
void leave_for_long(processor_claims& claims, std::size_t thread) {
  claims.leave(thread);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(processor_claims, part_threads_that_are_on_one_processor) {
  if (!may_move()) GTEST_SKIP() << "threads may not be moved here";
  std::thread([] {
    const auto all = processors_of_this_thread();
    processor_claims claims(all.size() + 1, for_ever);
    std::set<int> places;
    // A thread settles where no earlier one is; this thread plays each of them.
    for (std::size_t thread = 0; thread < all.size(); ++thread) {
      claims.settle(thread);
      EXPECT_TRUE(std::ranges::find(all, claims.place(thread)) != all.end());
      EXPECT_TRUE(places.insert(claims.place(thread)).second);
      EXPECT_EQ(processors_of_this_thread(), all) << "it must not be bound";
    }
    claims.settle(all.size());
    EXPECT_TRUE(places.contains(claims.place(all.size()))) << "where there is no other it stays";
  }).join();
}

TEST(processor_claims, give_what_a_sleeper_has_left) {
  if (!may_move()) GTEST_SKIP() << "threads may not be moved here";
  std::thread([] {
    const std::size_t all = processors_of_this_thread().size();
    processor_claims claims(all + 1, for_ever);
    for (std::size_t thread = 0; thread < all; ++thread) claims.settle(thread);
    for (std::size_t sleeper = 0; sleeper < all; ++sleeper) {
      const int place = claims.place(sleeper);
      leave_for_long(claims, sleeper);
      claims.settle(all);
      EXPECT_EQ(claims.place(all), place);
      leave_for_long(claims, all);
      claims.settle(sleeper);
      EXPECT_EQ(claims.place(sleeper), place);
    }
  }).join();
}

TEST(processor_claims, of_a_bound_thread_stay) {
  if (!may_move()) GTEST_SKIP() << "threads may not be moved here";
  std::thread([] {
    const int only = processors_of_this_thread().back();
    ASSERT_TRUE(set_affinity_of_this_thread(mask_of(only)));
    processor_claims claims(2, for_ever);
    claims.settle(0);
    claims.settle(1);
    EXPECT_EQ(claims.place(0), only);
    EXPECT_EQ(claims.place(1), only);
    EXPECT_EQ(processors_of_this_thread(), std::vector{only});
  }).join();
}

TEST(processor_claims, of_who_has_not_settled_for_long_are_void) {
  if (!may_move()) GTEST_SKIP() << "threads may not be moved here";
  std::thread([] {
    const auto all = affinity_of_this_thread();
    const int first = processors_in(all).front();
    processor_claims claims(2, {.claim = std::chrono::nanoseconds(1)});
    int stayed = 0;
    for (int n = 0; n < 100; ++n) {
      ASSERT_TRUE(set_affinity_of_this_thread(mask_of(first)));
      claims.settle(0);
      ASSERT_TRUE(set_affinity_of_this_thread(all));
      claims.settle(1);
      stayed += claims.place(1) == first && ::sched_getcpu() == first ? 1 : 0;
      leave_for_long(claims, 1);
    }
    EXPECT_GT(stayed, 0) << "it has moved away each time";
  }).join();
}

TEST(processor_claims, of_two_threads_at_once_differ) {
  if (!may_move()) GTEST_SKIP() << "threads may not be moved here";
  if (processors_of_this_thread().size() < 2) GTEST_SKIP() << "this process may use one processor";
  processor_claims claims(2, for_ever);
  std::barrier round(2);
  const auto settle = [&](std::size_t thread) {
    for (int i = 0; i < 300; ++i) {
      round.arrive_and_wait();
      claims.settle(thread);
      round.arrive_and_wait();
      EXPECT_NE(claims.place(0), claims.place(1));
      round.arrive_and_wait();
      claims.leave(thread);
    }
  };
  std::thread other([&] { settle(1); });
  settle(0);
  other.join();
}

}  // namespace
