// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/connect/fabrics.hpp>

#include <gtest/gtest.h>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/net/connect/fabric_kinds.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex {
namespace {

std::string refusal(std::string_view name, int processes = 1) {
  return testing::error_of<usage_error>([&] { check_fabric(name, processes); });
}

TEST(fabrics, are_found_by_name) {
  ASSERT_EQ(fabrics().size(), fabric_kinds().size());
  for (const fabric_kind& kind : fabric_kinds()) {
    EXPECT_EQ(&find_fabric(kind.name), &kind);
    EXPECT_EQ(maker_of(kind.name).name, kind.name);
  }
  EXPECT_EQ(refusal("ucx", 4), "");
  EXPECT_EQ(refusal("loopback"), "");
}

TEST(fabrics, that_there_are_not_are_refused) {
  EXPECT_EQ(refusal("ucs"), "--net ucs: the value must be one of ucx, loopback; did you mean --net ucx?");
  EXPECT_EQ(refusal("carrier"), "--net carrier: the value must be one of ucx, loopback");
  EXPECT_TRUE(refusal("").starts_with("--net "));
}

TEST(fabrics, within_one_process_connect_no_others) {
  EXPECT_EQ(refusal("loopback", 3),
            "--net loopback is for one process, and this is one of 3: leave it out, or start the program by "
            "itself");
}

}  // namespace
}  // namespace imbrex
