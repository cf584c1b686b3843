// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/estimates.hpp>

#include <gtest/gtest.h>

namespace imbrex::tune {
namespace {

using values = std::vector<std::string>;

TEST(odf_estimates, are_read_from_the_line_that_has_them) {
  const auto found = read_estimates(
      "a greeting\n{\"other\": 1}\n{\"odf_estimates\": [{\"odf\": 1, \"seconds\": 0.5}, {\"odf\": 16, "
      "\"seconds\": 2}]}\n");
  EXPECT_EQ(found, (odf_estimates{{"1", 0.5}, {"16", 2}}));
}

TEST(odf_estimates, are_none_in_other_text) {
  for (const char* const text :
       {"", "\n\n", "usage: app", "{", "[1, 2]", "{\"odf_estimates\": 3}",
        "{\"odf_estimates\": [1, {}, null]}", "{\"odf_estimates\": [{\"odf\": 1.5, \"seconds\": 1}]}",
        "{\"odf_estimates\": [{\"odf\": 1, \"seconds\": -1}, {\"odf\": 2, \"seconds\": 0}]}",
        "{\"odf_estimates\": [{\"odf\": 1, \"seconds\": \"1\"}]}"})
    EXPECT_TRUE(read_estimates(text).empty()) << text;
}

TEST(odf_estimates, tell_which_values_have_no_chance) {
  EXPECT_EQ(pruned_values({{"1", 1.0}, {"2", 1.49}, {"4", 1.51}, {"8", 9.0}}), (values{"4", "8"}));
  EXPECT_EQ(pruned_values({{"1", 3.0}, {"2", 1.0}}), (values{"1"}));
  EXPECT_TRUE(pruned_values({{"1", 1.0}}).empty());
  EXPECT_TRUE(pruned_values({}).empty());
}

}  // namespace
}  // namespace imbrex::tune
