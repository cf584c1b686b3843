// SPDX-License-Identifier: Apache-2.0
#include <imbrex/testing/error_of.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/testing/awaited_error_of.hpp>

namespace error_of_test {

using imbrex::task;
using imbrex::testing::awaited_error_of;
using imbrex::testing::error_of;

TEST(error_of, is_the_text_of_what_is_thrown) {
  EXPECT_EQ(error_of([] { throw std::runtime_error("it broke"); }), "it broke");
  EXPECT_EQ(error_of<std::logic_error>([] { throw std::out_of_range("too far"); }), "too far");
}

TEST(error_of, is_empty_where_nothing_is_thrown) {
  int calls = 0;
  EXPECT_EQ(error_of([&] { return ++calls; }), "");
  EXPECT_EQ(calls, 1);
}

TEST(error_of, lets_other_exceptions_pass) {
  EXPECT_THROW(error_of<std::logic_error>([] { throw std::runtime_error("it broke"); }), std::runtime_error);
}

class thrower : public imbrex::chare<thrower> {
 public:
  int divide(int by) {
    if (by == 0) throw std::invalid_argument("divided by nothing");
    return 12 / by;
  }
};

task<int> twelve_by(int by) {
  if (by == 0) throw std::invalid_argument("divided by nothing");
  co_return 12 / by;
}

TEST(awaited_error_of, is_the_text_of_what_an_awaited_call_throws) {
  const int status = imbrex::run({.pes = 2}, []() -> task<> {
    auto all = imbrex::make_array<thrower>(2);
    std::string text = co_await awaited_error_of(all[1].call<&thrower::divide>(0));
    EXPECT_EQ(text, "divided by nothing");
    text = co_await awaited_error_of(all[1].call<&thrower::divide>(3));
    EXPECT_EQ(text, "");
    text = co_await awaited_error_of<std::invalid_argument>(twelve_by(0));
    EXPECT_EQ(text, "divided by nothing");
  });
  EXPECT_EQ(status, 0);
}

TEST(awaited_error_of, calls_a_function_that_makes_a_call) {
  const int status = imbrex::run({.pes = 2}, []() -> task<> {
    auto all = imbrex::make_array<thrower>(2);
    std::string text = co_await awaited_error_of([&] { return all[1].call<&thrower::divide>(1LL << 40); });
    EXPECT_TRUE(text.starts_with("argument 1 of thrower::divide is 1099511627776")) << text;
    text = co_await awaited_error_of([&] { return all[1].call<&thrower::divide>(0); });
    EXPECT_EQ(text, "divided by nothing");
  });
  EXPECT_EQ(status, 0);
}

TEST(awaited_error_of, keeps_what_it_awaits_or_a_reference) {
  const int status = imbrex::run({.pes = 1}, []() -> task<> {
    auto all = imbrex::make_array<thrower>(1);
    auto kept = all[0].call<&thrower::divide>(0);
    task<std::string> of_reference = awaited_error_of(kept);
    task<std::string> of_temporary = awaited_error_of(all[0].call<&thrower::divide>(0));
    std::string text = co_await std::move(of_reference);
    EXPECT_EQ(text, "divided by nothing");
    text = co_await std::move(of_temporary);
    EXPECT_EQ(text, "divided by nothing");
  });
  EXPECT_EQ(status, 0);
}

TEST(awaited_error_of, lets_other_exceptions_pass) {
  const int status = imbrex::run({.pes = 1}, []() -> task<> {
    auto other = awaited_error_of<std::out_of_range>(twelve_by(0));
    const std::string text = co_await awaited_error_of<std::invalid_argument>(std::move(other));
    EXPECT_EQ(text, "divided by nothing");
  });
  EXPECT_EQ(status, 0);
}

}  // namespace error_of_test
