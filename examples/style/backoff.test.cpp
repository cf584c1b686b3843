// SPDX-License-Identifier: Apache-2.0
#include "backoff.hpp"

#include <imbrex/error.hpp>

#include <gtest/gtest.h>

namespace {

using imbrex::nanoseconds;
using style::backoff;

TEST(backoff, doubles_up_to_the_most) {
  backoff wait(nanoseconds(3), nanoseconds(10));
  for (const int expected : {3, 6, 10, 10}) EXPECT_EQ(wait.next(), nanoseconds(expected));
  wait.reset();
  EXPECT_EQ(wait.next(), nanoseconds(3));
}

TEST(backoff, refuses_waits_that_cannot_be) {
  EXPECT_THROW(backoff(nanoseconds(0), nanoseconds(10)), imbrex::error);
  EXPECT_THROW(backoff(nanoseconds(2), nanoseconds(1)), imbrex::error);
}

}  // namespace
