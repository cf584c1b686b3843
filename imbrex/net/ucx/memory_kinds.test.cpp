// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include <imbrex/net/ucx/memory_kinds.hpp>

namespace imbrex::ucx {
namespace {

TEST(ucx_memory_kinds, are_what_ucx_says) {
  const auto kinds = memory_kinds();
  EXPECT_NE(std::ranges::find(kinds, "host"), kinds.end());
}

}  // namespace
}  // namespace imbrex::ucx
