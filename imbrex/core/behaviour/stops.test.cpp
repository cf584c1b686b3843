// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/extension/stop.hpp>

namespace imbrex::stops_test {

class stops : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, stops, ::testing::ValuesIn(machines()), name_of_machine);

/// Begins and ends stops on each PE.
class gate : public chare<gate> {
 public:
  void close() { extension::stop_here().begin(); }
  void open() { extension::stop_here().end(); }
  int standing() { return static_cast<int>(extension::stop_here().entries().size()); }
};

/// An element that counts its steps, and moves in each of them if `moves`.
class walker : public chare<walker> {
 public:
  mailbox<int> words;

  task<int> walk(int steps, bool moves) {
    while (step_ < steps) {
      ++step_;
      send<&walker::words>(peers()[(where()[0] + 1) % peers().shape()[0]], step_, step_);
      const int heard = co_await words.receive(step_);
      EXPECT_EQ(heard, step_);
      if (moves) migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&walker::walk>(steps, moves);
    }
    co_return step_;
  }
  /// Waits at its balance point, and once more for a word.
  task<> wait_for_word() {
    co_await balance_point<&walker::wait_for_word>();
    co_await words.receive(-1);
  }
  void send_word_to_next() { send<&walker::words>(peers()[(where()[0] + 1) % peers().shape()[0]], -1, 0); }
  int step() const { return step_; }
  void go(int to) { migrate_to(to); }
  void end() { destroy(); }
  void serialize(auto& ar) { ar(words, step_); }

 private:
  int step_ = 0;
};

/// Stops all elements; returns the number of those that stand.
task<int> stop(group<gate> gates) {
  co_await gates.call<&gate::close>();
  co_await extension::quiescence_of_stop();
  co_return co_await gates.reduce<&gate::standing>(sum);
}

TEST_P(stops, hold_all_elements_until_they_end) {
  for (const bool moves : {false, true})
    run([moves]() -> task<> {
      const int count = 13, steps = 12;
      const auto gates = make_group<gate>();
      const auto walkers = make_array<walker>({count});
      auto walked = walkers.reduce<&walker::walk>(sum, steps, moves);
      for (int round = 0; round < 3; ++round) {
        const int standing = co_await stop(gates);
        const int before = co_await walkers.reduce<&walker::step>(sum);
        EXPECT_TRUE(standing == count || before == count * steps) << standing << " of " << before;
        EXPECT_EQ(co_await walkers.reduce<&walker::step>(sum), before);
        co_await gates.call<&gate::open>();
      }
      EXPECT_EQ(co_await walked, count * steps);
    });
}

TEST_P(stops, become_quiet_although_an_element_waits_for_a_stopped_one) {
  run([]() -> task<> {
    const auto gates = make_group<gate>();
    const auto walkers = make_array<walker>({2});
    auto first = walkers[0].call<&walker::wait_for_word>();
    co_await walkers[0].call<&walker::step>();
    EXPECT_EQ(co_await stop(gates), 0);
    auto second = walkers[1].call<&walker::wait_for_word>();
    co_await extension::quiescence_of_stop();
    EXPECT_EQ(co_await gates.reduce<&gate::standing>(sum), 1);
    co_await gates.call<&gate::open>();
    co_await walkers.call<&walker::send_word_to_next>();
    co_await first;
    co_await second;
  });
}

TEST_P(stops, let_elements_leave_that_were_asked_to_meanwhile) {
  run([]() -> task<> {
    const int count = 9, steps = 7;
    const auto gates = make_group<gate>();
    const auto walkers = make_array<walker>({count});
    auto walked = walkers.reduce<&walker::walk>(sum, steps, false);
    co_await stop(gates);
    for (int i = 0; i < count; ++i) co_await walkers[i].call<&walker::go>(i % num_pes());
    EXPECT_LE(co_await gates.reduce<&gate::standing>(sum), count);
    co_await gates.call<&gate::open>();
    EXPECT_EQ(co_await walked, count * steps);
  });
}

TEST_P(stops, leave_ends_of_elements_to_the_program) {
  run([]() -> task<> {
    const int count = 6;
    const auto gates = make_group<gate>();
    const auto walkers = make_array<walker>({count});
    std::vector<pending<void>> waits;
    co_await gates.call<&gate::close>();
    for (int i = 0; i < count; ++i) waits.push_back(walkers[i].call<&walker::wait_for_word>());
    co_await extension::quiescence_of_stop();
    EXPECT_EQ(co_await gates.reduce<&gate::standing>(sum), count);
    for (int i = 0; i < count; i += 2) send<&walker::end>(walkers[i]);
    for (int i = 0; i < count; i += 2)
      EXPECT_NE(
          (co_await awaited_error_of<error>(std::move(waits[static_cast<std::size_t>(i)]))).find("destroyed"),
          std::string::npos);
    EXPECT_EQ(co_await gates.reduce<&gate::standing>(sum), count / 2);
  });
}

}  // namespace imbrex::stops_test
