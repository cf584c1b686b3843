// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/queue.hpp>

#include <gtest/gtest.h>

namespace imbrex::detail {
namespace {

TEST(work_queue, is_first_in_first_out) {
  work items[3];
  work_queue q;
  EXPECT_TRUE(q.empty());
  q.push(items[0]);
  q.push(items[1]);
  EXPECT_EQ(&q.pop(), &items[0]);
  q.push(items[2]);
  EXPECT_EQ(q.front(), &items[1]);
  EXPECT_EQ(&q.pop(), &items[1]);
  EXPECT_EQ(&q.pop(), &items[2]);
  EXPECT_TRUE(q.empty());
  q.push(items[1]);
  EXPECT_EQ(&q.pop(), &items[1]);
  EXPECT_TRUE(q.empty());
}

}  // namespace
}  // namespace imbrex::detail
