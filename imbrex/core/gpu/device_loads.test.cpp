// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_loads.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace imbrex::device_loads_test {

using detail::operation_comparison;

/// An operation that has ended.
void finish(operation_comparison& in, std::uint32_t stream, std::string_view name, int begin, int end,
            finished_operation::type what = finished_operation::type::kernel) {
  static const std::string owner = "a chare";
  in.finish({what, name, stream, owner, 0, nanoseconds(begin), nanoseconds(end)});
}

/// The whole device for so many nanoseconds.
device_work whole(double nanoseconds) { return {nanoseconds * 1e-9, 1}; }

TEST(operation_comparison, finds_how_much_longer_operations_take) {
  operation_comparison all;
  all.begin(3);
  all.add(3, "long", whole(100));
  all.add(3, "as expected", whole(50));
  all.add(3, "long", whole(300));
  finish(all, 3, "long", 1000, 1200);
  finish(all, 3, "as expected", 1200, 1250);
  finish(all, 3, "long", 1300, 1900);
  const auto factors = all.factors();
  ASSERT_EQ(factors.size(), 2U);
  EXPECT_NEAR(factors.at("long"), 2, 1e-9);
  EXPECT_NEAR(factors.at("as expected"), 1, 1e-9);
}

TEST(operation_comparison, divides_the_device_among_operations_that_run_at_once) {
  operation_comparison all;
  for (const std::uint32_t stream : {1U, 2U, 3U}) all.begin(stream);
  // Each takes the whole device; two of them share it.
  all.add(1, "half", whole(100));
  all.add(2, "half", whole(100));
  finish(all, 1, "half", 0, 200);
  finish(all, 2, "half", 0, 200);
  // Two quarters fit side by side.
  all.add(1, "quarter", {400e-9, 0.25});
  all.add(3, "quarter", {400e-9, 0.25});
  finish(all, 1, "quarter", 300, 700);
  finish(all, 3, "quarter", 400, 800);
  const auto factors = all.factors();
  EXPECT_NEAR(factors.at("half"), 1, 1e-9);
  EXPECT_NEAR(factors.at("quarter"), 1, 1e-9);
}

TEST(operation_comparison, leaves_out_streams_whose_operations_are_not_those_submitted) {
  operation_comparison all;
  all.begin(1);
  all.add(2, "of a busy stream", whole(1));
  finish(all, 2, "of a busy stream", 1000, 1050);
  all.add(1, "first", whole(10));
  all.add(1, "second", whole(10));
  finish(all, 1, "host function", 0, 500, finished_operation::type::host_function);
  finish(all, 1, "first", 0, 10);
  finish(all, 1, "another", 10, 90);
  EXPECT_FALSE(all.has_begun(1));
  all.add(1, "second", whole(10));
  finish(all, 1, "second", 90, 190);
  const auto factors = all.factors();
  ASSERT_EQ(factors.size(), 1U);
  EXPECT_NEAR(factors.at("first"), 1, 1e-9);
}

TEST(operation_comparison, lets_other_operations_take_their_share) {
  operation_comparison all;
  all.begin(1);
  all.add(1, "known", whole(100));
  all.add(2, "half", {100e-9, 0.5});
  finish(all, 2, "half", 0, 100);
  finish(all, 1, "known", 0, 150);
  finish(all, 3, "unknown", 200, 300);
  const auto factors = all.factors();
  ASSERT_EQ(factors.size(), 1U);
  EXPECT_NEAR(factors.at("known"), (100 / 1.5 + 50) / 100, 1e-9);
}

TEST(operation_comparison, leaves_out_the_time_before_an_operation_takes_the_device) {
  operation_comparison all;
  for (const std::uint32_t stream : {1U, 2U}) {
    all.begin(stream);
    all.add(stream, "kernel", {120e-9, 100.0 / 120, 20e-9});
  }
  finish(all, 1, "kernel", 0, 120);
  finish(all, 2, "kernel", 10, 220);
  EXPECT_NEAR(all.factors().at("kernel"), 1, 1e-9);
}

TEST(operation_comparison, knows_copies_by_their_kind) {
  operation_comparison all;
  all.begin(1);
  all.add(1, "copy within the device", whole(10));
  finish(all, 1, "copy to another device", 0, 30, finished_operation::type::within_device);
  EXPECT_NEAR(all.factors().at("copy within the device"), 3, 1e-9);
}

TEST(operation_comparison, has_no_factor_of_operations_that_were_estimated_as_nothing) {
  operation_comparison all;
  all.begin(1);
  all.add(1, "nothing", {});
  finish(all, 1, "nothing", 0, 30);
  EXPECT_TRUE(all.factors().empty());
}

}  // namespace imbrex::device_loads_test
