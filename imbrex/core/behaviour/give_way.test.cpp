// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/sleep.hpp>

namespace imbrex::give_way_test {

class give_way_on : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, give_way_on, testing::ValuesIn(machines()), name_of_machine);

constexpr int parts = 5;

class calculator : public chare<calculator> {
 public:
  task<int> compute() {
    int sum = 0;
    for (int part = 1; part <= parts; ++part) {
      sum += part;
      co_await give_way();
    }
    co_return sum;
  }
};

TEST_P(give_way_on, goes_on_after_each) {
  run([]() -> task<> {
    const auto all = make_array<calculator>(7);
    const int total = co_await all.reduce<&calculator::compute>(sum);
    EXPECT_EQ(total, 7 * parts * (parts + 1) / 2);
  });
}

/// Which chares compute (number) and hear of it (-number - 1), in their order.
std::vector<int> order;

class worker : public chare<worker> {
 public:
  task<> compute() {
    for (int part = 0; part < parts; ++part) {
      co_await give_way();
      order.push_back(where()[0]);
      send<&worker::hear>(self());
    }
  }
  void hear() { order.push_back(-where()[0] - 1); }
};

/// Four entries compute, and a message waits for a part of one of them at the most.
TEST(give_way, lets_messages_go_before_the_other_computations) {
  order.clear();
  const int status = imbrex::run(options{.pes = 1}, []() -> task<> {
    co_await make_array<worker>(4).call<&worker::compute>();
    co_await quiescence();
  });
  EXPECT_EQ(status, 0);
  ASSERT_EQ(order.size(), std::size_t{4 * parts * 2});
  for (std::size_t i = 0; i < order.size(); i += 2) EXPECT_EQ(order[i + 1], -order[i] - 1) << i;
}

}  // namespace imbrex::give_way_test
