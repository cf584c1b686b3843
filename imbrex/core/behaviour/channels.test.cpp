// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::channels_test {

class channels : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, channels, ::testing::ValuesIn(machines()), name_of_machine);

/// One of two chares, each the neighbour of the other.
class end : public chare<end> {
 public:
  channel<int> line;
  mailbox<int> bell;

  void connect() { line.connect<&end::line>(peers()[1 - where()[0]]); }
  void say(int from, int until) {
    for (int n = from; n < until; ++n) line.send(n);
  }

  /// Abandons each receive that another event precedes, and must still get all values.
  task<std::vector<int>> hear_between_bells(int all) {
    std::vector<int> received_values;
    while (static_cast<int>(received_values.size()) < all) {
      auto first = co_await when_any(bell.receive_any(), line.receive());
      if (first.index == 1) {
        received_values.push_back(std::get<1>(first.value));
      } else {
        ++cancelled_receives_;
      }
    }
    co_return received_values;
  }
  int cancelled_receives() const { return cancelled_receives_; }

  task<std::vector<int>> hear_in_pairs(int pairs) {
    std::vector<int> received_values;
    for (int n = 0; n < pairs; ++n) {
      const auto [first, second] = co_await when_all(line.receive(), line.receive());
      received_values.push_back(first);
      received_values.push_back(second);
    }
    co_return received_values;
  }
  /// Two receives wait; one gets a value and ends the other's wait.
  task<std::vector<int>> hear_the_first_of_two(int all) {
    std::vector<int> received_values;
    for (int n = 0; n < all; ++n) {
      auto first = co_await when_any(line.receive(), line.receive());
      received_values.push_back(std::visit([](int value) { return value; }, first.value));
    }
    co_return received_values;
  }
  /// The receive made first need not be awaited first.
  task<std::vector<int>> hear_what_is_awaited_first() {
    auto cancelled_receives = line.receive();
    auto later = line.receive();
    auto sooner = line.receive();
    std::vector<int> received_values;
    received_values.push_back(co_await sooner);
    received_values.push_back(co_await later);
    co_return received_values;
  }
  task<int> hear_one() { co_return co_await line.receive(); }

 private:
  int cancelled_receives_ = 0;
};

/// A chare with many entries that wait at one mailbox.
class crowd : public chare<crowd> {
 public:
  mailbox<int> box;

  /// Odd entries wait for one of two numbers.
  task<std::vector<int>> wait(int all) {
    std::vector<task<int>> waits;
    for (int n = 0; n < all; ++n) waits.push_back(n % 2 == 0 ? wait_for(n) : wait_for_either(n, n + all));
    co_return co_await when_all(std::move(waits));
  }
  std::size_t unread() const { return box.size(); }

  /// Waits twice with one receiver, before and behind others.
  task<int> wait_twice(int number) {
    auto receiver = box.receive(number);
    const int first = co_await receiver;
    co_return first + co_await receiver;
  }
  task<int> wait_for(int number) { co_return co_await box.receive(number); }

 private:
  task<int> wait_for_either(int number, int other) {
    auto first = co_await when_any(box.receive(number), box.receive(other));
    co_return std::visit([](int value) { return value; }, first.value);
  }
};

std::vector<int> numbers(int until) {
  std::vector<int> all;
  for (int n = 0; n < until; ++n) all.push_back(n);
  return all;
}

TEST_P(channels, who_gives_up_has_taken_no_value) {
  run([]() -> task<> {
    constexpr int all = 40;
    const auto ends = make_array<end>(2);
    co_await ends.call<&end::connect>();
    auto received_values = ends[0].call<&end::hear_between_bells>(all);
    for (int n = 0; n < all; n += 4) {
      for (int b = 0; b < 3; ++b) send<&end::bell>(ends[0], b, 0);
      co_await sleep_for(std::chrono::microseconds(50));
      co_await ends[1].call<&end::say>(n, n + 4);
    }
    EXPECT_EQ(co_await received_values, numbers(all));
    EXPECT_GT(co_await ends[0].call<&end::cancelled_receives>(), 0);
  });
}

TEST_P(channels, mailboxes_find_who_waits_among_many) {
  run([]() -> task<> {
    constexpr int all = 1999;  // a prime number
    const auto crowds = make_array<crowd>(2);
    auto waited = crowds[1].call<&crowd::wait>(all);
    for (int n = 0; n < all; ++n) {
      const int number = n * 701 % all;
      send<&crowd::box>(crowds[1], number % 4 == 1 ? number + all : number, number);
    }
    EXPECT_EQ(co_await waited, numbers(all));
    EXPECT_EQ(co_await crowds[1].call<&crowd::unread>(), 0U);
  });
}

TEST_P(channels, receivers_can_be_awaited_again) {
  run([]() -> task<> {
    const auto crowds = make_array<crowd>(2);
    auto twice = crowds[1].call<&crowd::wait_twice>(1);
    co_await quiescence();
    auto other = crowds[1].call<&crowd::wait_for>(2);
    co_await quiescence();
    for (const int value : {10, 20}) {
      send<&crowd::box>(crowds[1], 1, value);
      co_await quiescence();
    }
    send<&crowd::box>(crowds[1], 2, 30);
    EXPECT_EQ(co_await twice, 30);
    EXPECT_EQ(co_await other, 30);
  });
}

TEST_P(channels, several_that_wait_get_one_value_each) {
  run([]() -> task<> {
    const auto ends = make_array<end>(2);
    co_await ends.call<&end::connect>();
    auto before = ends[0].call<&end::hear_in_pairs>(10);
    auto after = ends[1].call<&end::hear_the_first_of_two>(20);
    co_await ends[0].call<&end::say>(0, 20);
    co_await ends[1].call<&end::say>(0, 20);
    EXPECT_EQ(co_await before, numbers(20));
    EXPECT_EQ(co_await after, numbers(20));
    co_await ends[1].call<&end::say>(0, 2);
    EXPECT_EQ(co_await ends[0].call<&end::hear_what_is_awaited_first>(), numbers(2));
    // The order of several entries is unspecified, but each value goes to one entry.
    std::vector<pending<int>> each;
    for (int n = 0; n < 5; ++n) each.push_back(ends[0].call<&end::hear_one>());
    co_await ends[1].call<&end::say>(0, 5);
    int sum_of_all = 0;
    for (const int value : co_await when_all(std::move(each))) sum_of_all += value;
    EXPECT_EQ(sum_of_all, 0 + 1 + 2 + 3 + 4);
  });
}

}  // namespace imbrex::channels_test
