// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/period_report.hpp>

#include <gtest/gtest.h>

namespace imbrex::balance::detail {
namespace {

/// The report of a PE with a device of `all` PEs.
period_report report_of(int device, int all, double load) {
  period_report report;
  report.busy_devices = load;
  report.add_device({device, 1, all, load});
  return report;
}

TEST(period_report, sums_up_a_device_once_all_its_pes_are_there) {
  period_report left = report_of(0, 1, 3);
  EXPECT_EQ(left.devices, 1U);
  EXPECT_EQ(left.busiest_device, 3);
  EXPECT_TRUE(left.parts.empty());
  left.add(report_of(1, 3, 2));
  EXPECT_EQ(left.devices, 1U);
  EXPECT_EQ(left.busiest_device, 3);
  period_report right = report_of(4, 2, 1);
  right.add(report_of(1, 3, 1));
  right.add(report_of(1, 3, 1.5));
  EXPECT_EQ(right.devices, 0U);
  ASSERT_EQ(right.parts.size(), 2U);
  left.add(right);
  EXPECT_EQ(left.devices, 2U);
  EXPECT_EQ(left.busiest_device, 4.5);
  ASSERT_EQ(left.parts.size(), 1U);
  left.add(report_of(4, 2, 2));
  EXPECT_EQ(left.devices, 3U);
  EXPECT_EQ(left.busiest_device, 4.5);
  EXPECT_EQ(left.busy_devices, 10.5);
  EXPECT_TRUE(left.parts.empty());
}

}  // namespace
}  // namespace imbrex::balance::detail
