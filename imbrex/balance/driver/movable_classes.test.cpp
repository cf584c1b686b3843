// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/movable_classes.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::balance::detail {
namespace {

const element_class block{"mine::block", false, false};
const element_class particle{"mine::particle", true, false};
const element_class front{"mine::front", false, true};
const element_class mover{"mine::mover", true, true};

std::string refusal(const balance_settings& settings, const std::vector<const element_class*>& classes) {
  return testing::error_of<usage_error>([&] { check_classes(settings, classes); });
}

TEST(movable_classes, are_named_with_what_they_lack) {
  balance_settings settings;
  settings.strategy = "segments";
  EXPECT_EQ(
      refusal(settings, {&block, &front, &particle}),
      "--balance segments: no element of this program can move: block lacks serialize and a default "
      "constructor, front lacks serialize, particle lacks a default constructor; write what is missing, "
      "or leave the option out");
  settings.strategy = "none";
  settings.record = "loads.imb";
  EXPECT_EQ(refusal(settings, {&front}),
            "--balance-record loads.imb: no element of this program can move: front lacks serialize; write "
            "what is missing, or leave the option out");
}

TEST(movable_classes, are_enough_if_there_is_one) {
  EXPECT_EQ(why_none_moves({&block, &mover}), "");
  EXPECT_NO_THROW(check_classes({.strategy = "auto"}, {&block, &mover}));
}

TEST(movable_classes, are_missed_without_arrays) {
  balance_settings settings;
  settings.strategy = "auto";
  EXPECT_EQ(
      refusal(settings, {}),
      "--balance auto: this program creates no arrays, and only elements of arrays move; leave the option "
      "out");
}

TEST(movable_classes, are_listed_up_to_a_bound) {
  const std::string text = why_none_moves(std::vector<const element_class*>(11, &front));
  EXPECT_NE(text.find(", and 3 other classes"), std::string::npos) << text;
}

}  // namespace
}  // namespace imbrex::balance::detail
