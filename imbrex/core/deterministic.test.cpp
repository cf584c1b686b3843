// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/deterministic.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/run/spend.hpp>

namespace imbrex::deterministic_test {

class noted : public chare<noted, index<2>> {
 public:
  mailbox<int> halo;

  void note(int value) { notes().push_back(value); }
  task<> run() {
    const int first = co_await halo.receive(3);
    notes().push_back(first);
  }
  static std::vector<int>& notes() {
    static std::vector<int> all;
    return all;
  }
};

TEST(deterministic, can_be_stepped_and_asked_for_the_next_message) {
  noted::notes().clear();
  array<noted> all;
  deterministic machine(seeded(4, 7), [&]() -> task<> {
    all = make_array<noted>({2, 3});
    co_await quiescence();
    send<&noted::halo>(all[{1, 2}], 3, 5);
    co_await quiescence();
    send<&noted::run>(all[{1, 2}]);
    co_await quiescence();
  });
  while (machine.step() && all == array<noted>()) {
  }
  EXPECT_THROW(machine.expect_next<&noted::halo>(all[{1, 2}]), error);
  while (!machine.next_for(all[{1, 2}]) && machine.step()) {
  }
  machine.expect_next<&noted::halo>(all[{1, 2}], 3);
  machine.expect_next<&noted::halo>(all[{1, 2}]);
  EXPECT_EQ(error_of<error>([&] { machine.expect_next<&noted::halo>(all[{1, 2}], 4); }),
            "expected the next message to be halo with reference 4, but it is halo with reference 3");
  EXPECT_THROW(machine.expect_next<&noted::note>(all[{1, 2}]), error);
  EXPECT_FALSE(machine.next_for(all[{0, 0}]));
  const auto next = machine.next_for(all[{1, 2}]);
  EXPECT_EQ(next->from, 0);
  EXPECT_EQ(next->to, 3);
  EXPECT_EQ(machine.run(), 0);
  EXPECT_TRUE(machine.ended());
  EXPECT_FALSE(machine.step());
  EXPECT_EQ(noted::notes(), std::vector<int>{5});
}

std::vector<int> order_of(std::uint64_t seed) {
  noted::notes().clear();
  EXPECT_EQ(run(seeded(3, seed),
                []() -> task<> {
                  auto all = make_array<noted>({2, 3});
                  for (int i = 0; i < 20; ++i) send<&noted::note>(all[{i % 2, i % 3}], i);
                  co_await quiescence();
                }),
            0);
  return noted::notes();
}

TEST(deterministic, a_seed_alone_decides_the_order) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto order = order_of(seed);
    EXPECT_EQ(order.size(), 20U);
    EXPECT_EQ(order_of(seed), order);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 15U);
}

TEST(deterministic, time_is_virtual) {
  nanoseconds slept{};
  EXPECT_EQ(run(seeded(2, 1),
                [&slept]() -> task<> {
                  const auto before = now();
                  co_await sleep_for(std::chrono::hours(1000));
                  slept = now() - before;
                }),
            0);
  EXPECT_GE(slept, std::chrono::hours(1000));
}

TEST(deterministic, may_be_given_up_in_the_middle) {
  deterministic machine(seeded(2, 1), []() -> task<> {
    auto all = make_array<noted>({2, 3});
    send<&noted::run>(all);
    co_await sleep_for(std::chrono::hours(1));
  });
  for (int i = 0; i < 9; ++i) machine.step();
  EXPECT_FALSE(machine.ended());
}

class listener : public chare<listener> {
 public:
  void hear(int value) { received_values_.push_back(value); }
  std::vector<int> received_values() const { return received_values_; }
  void say(element<listener> to) {
    for (int i = 0; i < 6; ++i) send<&listener::hear>(to.with_priority(i % 3 - 1), i);
    for (int i = 6; i < 12; ++i) send<&listener::hear>(to, i);
  }

 private:
  std::vector<int> received_values_;
};

TEST(priorities, lower_first_and_in_order_within_one) {
  EXPECT_EQ(run(threads(1),
                []() -> task<> {
                  auto all = make_array<listener>({2});
                  co_await all[0].call<&listener::say>(all[1]);
                  co_await quiescence();
                  const auto received_values = co_await all[1].call<&listener::received_values>();
                  EXPECT_EQ(received_values, (std::vector<int>{0, 3, 1, 4, 6, 7, 8, 9, 10, 11, 2, 5}));
                }),
            0);
}

TEST(priorities, messages_without_one_stay_in_order_between_pes) {
  EXPECT_EQ(run(threads(2),
                []() -> task<> {
                  auto there = make_chare_on<listener>(1);
                  std::vector<int> expected;
                  for (int i = 0; i < 2000; ++i) {
                    send<&listener::hear>(there, i);
                    expected.push_back(i);
                  }
                  const auto received_values = co_await there.call<&listener::received_values>();
                  EXPECT_EQ(received_values, expected);
                }),
            0);
}

}  // namespace imbrex::deterministic_test
