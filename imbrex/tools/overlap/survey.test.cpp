// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/overlap/survey.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace imbrex::overlap {
namespace {

TEST(survey, chooses_elements_evenly) {
  for (const std::uint64_t sent :
       {1ULL, 2ULL, 3ULL, 10ULL, 11ULL, 100ULL, 101ULL, 12'345ULL, 1'000'000'000'000'000ULL})
    for (const std::size_t most : {2U, 3U, 10U, 100U}) {
      const auto found = some_elements({.sent = sent}, most);
      ASSERT_EQ(found.size(), std::min<std::uint64_t>(sent, most));
      EXPECT_EQ(found.front(), 0U);
      EXPECT_EQ(found.back(), sent - 1);
      for (std::size_t k = 1; k < found.size(); ++k) {
        EXPECT_GT(found[k], found[k - 1]);
        EXPECT_LE(found[k] - found[k - 1], (sent - 1) / (found.size() - 1) + 1);
      }
    }
}

}  // namespace
}  // namespace imbrex::overlap
