// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/timeout.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::timeouts_test {

using std::chrono::hours;
using std::chrono::microseconds;

class timeouts : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, timeouts, ::testing::ValuesIn(machines()), name_of_machine);

class waiter_chare : public chare<waiter_chare> {
 public:
  mailbox<int> port;

  task<> wait() {
    const auto none = co_await with_timeout(port.receive(3), microseconds(20));
    EXPECT_FALSE(none);
    send<&waiter_chare::port>(self(), 3, 7);
    const auto seven = co_await with_timeout(port.receive(3), hours(1));
    EXPECT_EQ(seven, std::optional(7));
    const auto at_once = co_await with_timeout(peers()[0].call<&waiter_chare::answer>(), hours::max());
    EXPECT_TRUE(at_once);
  }
  void answer() {}
  void fail() { throw std::runtime_error("no answer"); }
};

TEST_P(timeouts, end_a_wait_and_leave_what_is_waited_for) {
  run([]() -> task<int> {
    const double begun = seconds();
    const auto all = make_array<waiter_chare>(2);
    co_await all[1].call<&waiter_chare::wait>();
    EXPECT_GE(now().count(), begun * 1e9 - 1);
    EXPECT_LT(seconds() - begun, 3600);
    co_return 0;
  });
}

TEST_P(timeouts, pass_on_what_is_thrown) {
  run([]() -> task<int> {
    const auto all = make_array<waiter_chare>(2);
    bool thrown = false;
    try {
      co_await with_timeout(all[1].call<&waiter_chare::fail>(), hours(1));
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    EXPECT_TRUE(thrown);
    co_return 0;
  });
}

}  // namespace imbrex::timeouts_test
