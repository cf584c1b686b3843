// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/device/backends/devices.hpp>
#include <imbrex/error.hpp>

namespace queens {
namespace {

TEST(queens, finds_as_many_as_are_known) {
  const auto found = imbrex::devices("emulated");
  constexpr std::pair<std::uint32_t, std::uint64_t> known[] = {{1, 1}, {2, 0},  {4, 2},
                                                               {6, 4}, {8, 92}, {9, 352}};
  for (const auto& [size, solutions] : known)
    for (const std::uint32_t split : {0U, 2U, 5U}) {
      const problem p{.size = size, .split = split, .pes = 3, .threads = 2, .chares_each = 2};
      EXPECT_EQ(search_inside(*found.front(), p).solutions, solutions) << size << " queens, split " << split;
      EXPECT_EQ(search_by_kernel(*found.front(), p).solutions, solutions)
          << size << " queens, split " << split;
    }
}

TEST(queens, sends_a_message_for_each_board) {
  const auto found = imbrex::devices("emulated");
  const problem p{.size = 8, .split = 2, .pes = 4, .threads = 1};
  EXPECT_EQ(search_inside(*found.front(), p).boards, 1U + 8 + 42);
}

TEST(queens, refuses_boards_that_cannot_be) {
  const auto found = imbrex::devices("emulated");
  EXPECT_THROW(search_inside(*found.front(), {.size = 17}), imbrex::usage_error);
  EXPECT_THROW(search_by_kernel(*found.front(), {.size = 0}), imbrex::usage_error);
}

}  // namespace
}  // namespace queens
