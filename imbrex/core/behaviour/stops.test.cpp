// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/extension/load.hpp>
#include <imbrex/core/extension/rendezvous.hpp>

namespace imbrex::stops_test {

class stops : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, stops, ::testing::ValuesIn(machines()), name_of_machine);

/// An element that counts its steps, and moves in each of them if `moves`.
class walker : public chare<walker> {
 public:
  mailbox<int> words;

  task<int> walk(int steps, bool moves) {
    while (step_ < steps) {
      ++step_;
      send<&walker::words>(peers()[(where()[0] + 1) % peers().shape()[0]], step_, step_);
      const int word = co_await words.receive(step_);
      EXPECT_EQ(word, step_);
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
  int on() const { return pe(); }
  void go(int to) { migrate_to(to); }
  void end() { destroy(); }
  void serialize(auto& ar) { ar(words, step_); }

 private:
  int step_ = 0;
};

TEST_P(stops, bring_elements_to_points_of_one_step) {
  for (const bool moves : {false, true})
    run([moves]() -> task<> {
      const int count = 13, steps = 12;
      extension::rendezvous all;
      const auto walkers = make_array<walker>({count});
      auto walked = walkers.reduce<&walker::walk>(sum, steps, moves);
      for (int round = 0; round < 3; ++round) {
        const auto met = co_await all.begin();
        EXPECT_TRUE(met.are_all()) << met.waiting.text();
        const auto at = co_await walkers.reduce<&walker::step>(gather);
        if (met.standing != 0) {
          EXPECT_EQ(at, std::vector<int>(count, at.front()));
        }
        const auto still_at = co_await walkers.reduce<&walker::step>(gather);
        EXPECT_EQ(still_at, at);
        co_await all.end();
      }
      const int sum_of_steps = co_await walked;
      EXPECT_EQ(sum_of_steps, count * steps);
    });
}

/// Stops all elements: a group, of which the chare on PE 0 does it.
class stopper : public chare<stopper> {
 public:
  stopper() { extension::stop_here().leave_out(extension::header_of(*this)); }
  task<std::string> stop() {
    all_ = std::make_unique<extension::rendezvous>();
    const auto met = co_await all_->begin();
    co_return met.waiting.text();
  }
  /// Does nothing: a caller knows on its return that `stop` has begun.
  void answer() {}

 private:
  std::unique_ptr<extension::rendezvous> all_;
};

TEST_P(stops, hold_elements_of_arrays_that_are_made_meanwhile) {
  run([]() -> task<> {
    const int many_steps = 1'000'000;
    const auto stoppers = make_group<stopper>();
    auto obstacles = stoppers[0].call<&stopper::stop>();
    co_await stoppers[0].call<&stopper::answer>();
    const auto walkers = make_array<walker>({9});
    auto walked = walkers.reduce<&walker::walk>(sum, many_steps, false);
    const std::string text = co_await std::move(obstacles);
    EXPECT_EQ(text, "");
    const int at = co_await walkers.reduce<&walker::step>(max);
    EXPECT_LT(at, many_steps);
  });
}

TEST_P(stops, end_although_an_element_waits_for_the_program) {
  run([]() -> task<> {
    extension::rendezvous all;
    const auto walkers = make_array<walker>({2});
    co_await all.begin();
    auto walked = walkers[0].call<&walker::wait_for_word>();
    co_await extension::quiescence_of_stop();
    co_await all.end();
    co_await quiescence();
    const auto second = co_await all.begin();
    EXPECT_EQ(second.standing, 0);
    EXPECT_NE(second.waiting.text().find("walker(0), entry wait_for_word, on PE "), std::string::npos)
        << second.waiting.text();
    co_await all.end();
    co_await walkers[1].call<&walker::send_word_to_next>();
    co_await walked;
  });
}

TEST_P(stops, let_elements_leave_that_were_asked_to_meanwhile) {
  run([]() -> task<> {
    const int count = 9, steps = 7;
    extension::rendezvous all;
    const auto walkers = make_array<walker>({count});
    auto walked = walkers.reduce<&walker::walk>(sum, steps, false);
    const auto met = co_await all.begin();
    for (int i = 0; i < count; ++i) co_await walkers[i].call<&walker::go>(i % num_pes());
    co_await all.end();
    const auto again = co_await all.begin();
    EXPECT_TRUE(again.are_all());
    for (int i = 0; i < count && met.standing > 0; ++i) {
      const int on = co_await walkers[i].call<&walker::on>();
      EXPECT_EQ(on, i % num_pes());
    }
    co_await all.end();
    const int sum_of_steps = co_await walked;
    EXPECT_EQ(sum_of_steps, count * steps);
  });
}

TEST_P(stops, leave_ends_of_elements_to_the_program) {
  run([]() -> task<> {
    const int count = 6;
    extension::rendezvous all;
    const auto walkers = make_array<walker>({count});
    co_await walkers.created();
    co_await all.begin();
    std::vector<pending<void>> waits;
    for (int i = 0; i < count; ++i) waits.push_back(walkers[i].call<&walker::wait_for_word>());
    co_await extension::quiescence_of_stop();
    const auto parts = co_await all.parts().reduce<&extension::rendezvous_part::look>(gather);
    std::uint64_t standing = 0;
    for (const auto& each : parts) standing += each.standing;
    EXPECT_EQ(standing, count);
    for (int i = 0; i < count; i += 2) send<&walker::end>(walkers[i]);
    for (int i = 0; i < count; i += 2) {
      auto& ended = waits[static_cast<std::size_t>(i)];
      const std::string error = co_await awaited_error_of<imbrex::error>(std::move(ended));
      EXPECT_NE(error.find("destroyed"), std::string::npos) << error;
    }
  });
}

}  // namespace imbrex::stops_test
