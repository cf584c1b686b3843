// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace {

/// A type whose name a base class of a chare may have hidden.
struct header {
  int value = 0;
};
struct check_migratable {
  int value = 0;
};

}  // namespace

namespace imbrex::arguments_test {

class arguments : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, arguments, ::testing::ValuesIn(machines()), name_of_machine);

class taker : public chare<taker> {
 public:
  mailbox<std::int16_t> port;
  channel<std::int8_t> line;

  int add(std::int32_t a, unsigned char b) {
    const header first{a};
    const check_migratable second{b};
    return first.value + second.value;
  }
  std::string join(std::string a, std::string_view b, std::span<const int> c, float d) {
    return a + std::string(b) + std::to_string(c.size()) + (d == 0.1F ? "rounded" : "");
  }
  task<int> receive(int count) {
    int all = 0;
    for (int i = 0; i < count; ++i) {
      const int value = co_await port.receive_any();
      all += value;
    }
    co_return all;
  }
  task<int> pass(std::int64_t value) {
    line.connect<&taker::line>(self());
    line.send(value);
    line.send({});
    const int first = co_await line.receive();
    const int second = co_await line.receive();
    co_return first + second;
  }
};

TEST_P(arguments, that_are_integers_of_another_type_must_fit) {
  run([]() -> task<int> {
    const auto all = make_array<taker>(2);
    const std::int64_t large = 5'000'000'000;
    const std::string lost =
        "argument 1 of taker::add is 5000000000, of type long, which does not fit into its int: "
        "give it a wider type";
    EXPECT_EQ(error_of<error>([&] { send<&taker::add>(all[1], large, 1); }), lost);
    EXPECT_EQ(error_of<error>([&] { send<&taker::add>(all, large, 1); }), lost);
    EXPECT_EQ(error_of<error>([&] { send<&taker::add>(all.section({0, 1}), large, 1); }), lost);
    EXPECT_EQ(error_of<error>([&] { static_cast<void>(all[1].call<&taker::add>(large, 1)); }), lost);
    EXPECT_EQ(error_of<error>([&] { static_cast<void>(all.reduce<&taker::add>(sum, large, 1)); }), lost);
    EXPECT_EQ(
        error_of<error>([&] { send<&taker::add>(all[1], 1, 256); }),
        "argument 2 of taker::add is 256, of type int, which does not fit into its unsigned char: give it a "
        "wider type");
    EXPECT_EQ(
        error_of<error>([&] { send<&taker::port>(all[1], 40'000); }),
        "argument 1 of taker::port is 40000, of type int, which does not fit into its short: give it a wider "
        "type");
    EXPECT_EQ(error_of<error>([&] { send<&taker::port>(all[1], 7, -40'000); }),
              "argument 2 of taker::port is -40000, of type int, which does not fit into its short: give it "
              "a wider type");
    const int added = co_await all[1].call<&taker::add>(std::int64_t{-3}, 255);
    EXPECT_EQ(added, 252);
    auto received = all[1].call<&taker::receive>(2);
    send<&taker::port>(all[1], 30'000L);
    send<&taker::port>(all[1], 7, -29'000L);
    const int sum_of_values = co_await received;
    EXPECT_EQ(sum_of_values, 1'000);
    const int passed = co_await all[1].call<&taker::pass>(127);
    EXPECT_EQ(passed, 127);
    const std::string refused =
        co_await awaited_error_of<error>([&] { return all[1].call<&taker::pass>(-129); });
    EXPECT_TRUE(
        refused.starts_with("argument 1 of taker::line is -129, of type long, which does not fit into its "
                            "signed char: give it a wider type"))
        << refused;
    co_return 0;
  });
}

TEST_P(arguments, convert_as_in_an_initialisation) {
  run([]() -> task<int> {
    const auto all = make_array<taker>(2);
    const std::vector<int> three(3);
    const auto joined = co_await all[1].call<&taker::join>(std::string_view("a"), "b", three, 0.1);
    EXPECT_EQ(joined, "ab3rounded");
    co_return 0;
  });
}

}  // namespace imbrex::arguments_test
