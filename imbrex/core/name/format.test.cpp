// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/format.hpp>

#include <gtest/gtest.h>

namespace imbrex {
namespace {

TEST(format, gives_indices_the_specifications_of_strings) {
  EXPECT_EQ(fmt::format("{} {:>8}|", index<2>{1, 2}, index<2>{3, 4}), "(1, 2)   (3, 4)|");
  EXPECT_EQ(fmt::format("{}", index<1>{5}), "5");
}

}  // namespace
}  // namespace imbrex
