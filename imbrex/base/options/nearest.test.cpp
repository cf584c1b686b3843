// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/nearest.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

using imbrex::edit_distance;
using imbrex::nearest;

TEST(edit_distance, counts_each_kind_of_edit_once) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("halo", "halo"), 0);
  EXPECT_EQ(edit_distance("halo", "hallo"), 1);
  EXPECT_EQ(edit_distance("halo", "hao"), 1);
  EXPECT_EQ(edit_distance("halo", "hado"), 1);
  EXPECT_EQ(edit_distance("halo", "hlao"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(edit_distance, edits_no_substring_twice) { EXPECT_EQ(edit_distance("ca", "abc"), 3); }

TEST(edit_distance, is_symmetric) {
  const std::array<std::string, 5> words{"", "a", "pes", "shuffle", "shuflfe"};
  for (const auto& a : words)
    for (const auto& b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << ' ' << b;
}

TEST(nearest, is_the_fewest_edits_away_and_the_first_of_equals) {
  constexpr std::array<std::string_view, 4> known{"threads", "deterministic", "seed", "send"};
  EXPECT_EQ(nearest("thread", known), "threads");
  EXPECT_EQ(nearest("sead", known), "seed");
  EXPECT_EQ(nearest("sendd", known), "send");
  EXPECT_EQ(nearest("se_d", known), "seed");
}

TEST(nearest, is_empty_when_nothing_is_near) {
  constexpr std::array<std::string_view, 2> known{"threads", "deterministic"};
  EXPECT_EQ(nearest("sockets", known), "");
  EXPECT_EQ(nearest("thr", known), "");
  EXPECT_EQ(nearest("determinstc", known), "deterministic");
  EXPECT_EQ(nearest("threads", {}), "");
}

TEST(nearest, is_what_a_refusal_asks_for) {
  constexpr std::array<std::string_view, 2> known{"--pes", "--machine"};
  EXPECT_EQ(imbrex::question_of("--pse", known, "; see --help"), "; did you mean --pes?");
  EXPECT_EQ(imbrex::question_of("--bind", known, "; see --help"), "; see --help");
}

}  // namespace
