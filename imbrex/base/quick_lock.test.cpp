// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/quick_lock.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace imbrex::detail {
namespace {

TEST(quick_lock, lets_one_in_at_a_time) {
  quick_lock lock;
  std::vector<int> order;  // ThreadSanitizer would report a race on it
  long sum = 0;
  constexpr int threads = 4, turns = 20'000;
  std::vector<std::jthread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < turns; ++i) {
        const std::lock_guard guard(lock);
        ++sum;
        if (i % 100 == 0) order.push_back(t);
        if (i % 1'000 == 0) std::this_thread::yield();  // other threads wait meanwhile
      }
    });
  all.clear();
  EXPECT_EQ(sum, long{threads} * turns);
  EXPECT_EQ(order.size(), std::size_t{threads} * turns / 100);
}

}  // namespace
}  // namespace imbrex::detail
