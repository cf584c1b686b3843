// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/path_times.hpp>

#include <gtest/gtest.h>

#include <imbrex/net/connect/fabric_kinds.hpp>

namespace imbrex {
namespace {

TEST(path_times, are_there_for_all_sizes) {
  const detail::real_clock time;
  const auto begun = time.now();
  const auto all = measure_paths();
  const auto whole = time.now() - begun;
  if (!has_network()) GTEST_SKIP() << "this build connects no processes";
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all.front().longest, 16U << 10U);
  EXPECT_EQ(all.back().longest, 1U << 20U);
  for (const auto& row : all) {
    EXPECT_GT(row.by_memory, nanoseconds(0));
    EXPECT_LT(row.by_memory, whole);
    EXPECT_GT(row.by_kernel.value_or(whole), nanoseconds(0));
    EXPECT_LE(row.by_kernel.value_or(whole), whole);
  }
}

TEST(path_times, tell_which_path_is_better) {
  using std::chrono::microseconds;
  EXPECT_TRUE((path_times{1, microseconds(12), microseconds(7)}.memory_is_better()));
  EXPECT_FALSE((path_times{1, microseconds(5), microseconds(12)}.memory_is_better()));
  EXPECT_TRUE((path_times{1, std::nullopt, microseconds(12)}.memory_is_better()));
}

}  // namespace
}  // namespace imbrex
