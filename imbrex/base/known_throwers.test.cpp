// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/known_throwers.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using imbrex::known_throwers;

std::exception_ptr with_text(const std::string& text) {
  return std::make_exception_ptr(std::runtime_error(text));
}

TEST(known_throwers, knows_whose_exception_it_is) {
  known_throwers known;
  EXPECT_FALSE(known.thrower_of(with_text("no")));
  const auto first = with_text("no");
  const auto second = with_text("no");
  known.add(first, "one");
  known.add(second, "two");
  known.add(std::make_exception_ptr(7), "three");
  EXPECT_EQ(known.thrower_of(first), "one");
  EXPECT_EQ(known.thrower_of(second), "two");
  EXPECT_FALSE(known.thrower_of(with_text("no")));  // another exception with the same text
  EXPECT_FALSE(known.thrower_of(std::make_exception_ptr(7)));
  EXPECT_FALSE(known.thrower_of(with_text("yes")));
  EXPECT_FALSE(known.thrower_of(std::make_exception_ptr(std::logic_error("no"))));
}

TEST(known_throwers, forgets_the_oldest) {
  known_throwers known;
  std::vector<std::exception_ptr> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(with_text(std::to_string(i)));
    known.add(all.back(), "thrower of " + std::to_string(i));
  }
  EXPECT_FALSE(known.thrower_of(all[3]));
  EXPECT_EQ(known.thrower_of(all[4]), "thrower of 4");
  EXPECT_EQ(known.thrower_of(all[19]), "thrower of 19");
}

}  // namespace
