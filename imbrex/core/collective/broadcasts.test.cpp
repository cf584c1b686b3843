// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::broadcasts_test {

class broadcasts : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, broadcasts, ::testing::ValuesIn(machines()), name_of_machine);

/// The fate of an element in a round; all PEs compute the same one.
enum class fate { stays, moves, ends };
fate fate_of(int element, int round) {
  random dice(static_cast<std::uint64_t>(element) * 1000 + static_cast<std::uint64_t>(round));
  const auto thrown = dice() % 10;
  return thrown == 0 ? fate::ends : thrown < 6 ? fate::moves : fate::stays;
}
bool has_ended(int element, int rounds) {
  for (int round = 0; round < rounds; ++round)
    if (fate_of(element, round) == fate::ends) return true;
  return false;
}

class traveller : public chare<traveller> {
 public:
  mailbox<int> letters;

  void live(int round) {
    const fate f = fate_of(where()[0], round);
    if (f == fate::moves) migrate_to((pe() + 1 + round) % num_pes());
    if (f == fate::ends) destroy();
  }
  void hear(int round) { receipts_.push_back(round); }
  int one() const { return 1; }
  int number() const { return where()[0]; }
  /// The received numbers, sorted.
  std::vector<int> receipts() {
    std::sort(receipts_.begin(), receipts_.end());
    return receipts_;
  }
  task<int> read(int expected) {
    int total = 0;
    for (int n = 0; n < expected; ++n) total += co_await letters.receive();
    co_return total;
  }
  /// Moves at each balance point, until it ends.
  task<> roam() {
    for (;;) {
      co_await sleep_for(std::chrono::microseconds(1));
      migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&traveller::roam>();
    }
  }
  void finish() { destroy(); }
  void serialize(auto& ar) { ar(letters, receipts_); }

 private:
  std::vector<int> receipts_;
};

constexpr int elements = 40;
constexpr int rounds = 6;

TEST_P(broadcasts, pass_over_elements_that_move_and_end) {
  run([]() -> task<> {
    auto all = make_array<traveller>({elements});
    std::vector<pending<void>> calls;
    std::vector<pending<int>> counts;
    std::vector<pending<std::vector<int>>> rosters;
    for (int round = 0; round < rounds; ++round) {
      send<&traveller::live>(all, round);
      send<&traveller::hear>(all, round);
      send<&traveller::letters>(all, 1);
      calls.push_back(all.call<&traveller::hear>(rounds + round));
      counts.push_back(all.reduce<&traveller::one>(sum));
      rosters.push_back(all.reduce<&traveller::number>(gather));
    }
    for (auto& c : calls) co_await c;
    int left = 0;
    for (int i = 0; i < elements; ++i) left += has_ended(i, rounds) ? 0 : 1;
    for (auto& c : counts) {
      const int count = co_await c;
      EXPECT_TRUE(count >= left && count <= elements) << count;
    }
    for (auto& r : rosters) {
      const std::vector<int> roster = co_await r;
      EXPECT_TRUE(std::is_sorted(roster.begin(), roster.end()));
      for (int i = 0; i < elements; ++i)
        EXPECT_TRUE(has_ended(i, rounds) || std::count(roster.begin(), roster.end(), i) == 1) << i;
    }
    co_await quiescence();

    std::vector<int> once;
    for (int n = 0; n < 2 * rounds; ++n) once.push_back(n);
    const auto receipts = co_await all.reduce<&traveller::receipts>(gather);
    EXPECT_EQ(receipts, std::vector(static_cast<std::size_t>(left), once));
    const int letters = co_await all.reduce<&traveller::read>(sum, rounds);
    EXPECT_EQ(letters, left * rounds);
  });
}

TEST_P(broadcasts, to_elements_that_all_end_reach_some_or_none) {
  run([]() -> task<> {
    auto all = make_array<traveller>({elements});
    send<&traveller::finish>(all);
    send<&traveller::hear>(all, 1);
    send<&traveller::letters>(all, 1);
    auto ended = all.call<&traveller::hear>(2);
    auto count = all.reduce<&traveller::one>(sum);
    auto roster = all.reduce<&traveller::number>(gather);
    co_await ended;
    int counted = 0;
    std::string none;
    try {
      counted = co_await count;
    } catch (const error& e) {
      none = e.what();
    }
    EXPECT_TRUE(counted > 0 ? none.empty() : none.find("no elements") != none.npos) << counted << none;
    none.clear();
    std::vector<int> names;
    try {
      names = co_await roster;
    } catch (const error& e) {
      none = e.what();
    }
    EXPECT_TRUE(!names.empty() ? none.empty() : none.find("no elements") != none.npos) << none;
  });
}

TEST_P(broadcasts, begin_entries_that_end_with_their_elements_on_the_way) {
  run([]() -> task<> {
    auto all = make_array<traveller>({elements});
    send<&traveller::roam>(all);
    for (int i = 0; i < elements; ++i) {
      all[i].destroy();
      if (i % 8 == 0) co_await sleep_for(std::chrono::microseconds(20));
    }
    co_await quiescence();
    co_await all.call<&traveller::hear>(1);
  });
}

/// An element that knows its generation among those with its key.
class heir : public chare<heir, int> {
 public:
  heir() = default;
  explicit heir(int life) : life_(life) {}
  int life() const { return life_; }
  bool roams() const { return roams_; }
  int at() const { return pe(); }
  void hear() { ++receipts_; }
  int receipts() const { return receipts_; }
  void hop(int to) { migrate_to(to); }
  /// Moves at each balance point, until it ends.
  task<> roam(int life) {
    roams_ = true;
    if (life != life_)
      throw error("entry of life " + std::to_string(life) + " in life " + std::to_string(life_));
    for (;;) {
      co_await sleep_for(std::chrono::microseconds(1));
      migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&heir::roam>(life);
    }
  }
  void serialize(auto& ar) { ar(life_, receipts_, roams_); }

 private:
  bool roams_ = false;
  int life_ = 0;
  int receipts_ = 0;
};

/// Keeps a PE busy, so that less urgent messages wait there.
class busy : public chare<busy> {
 public:
  void churn() {
    if (!stopped_) send<&busy::churn>(self());
  }
  void stop() { stopped_ = true; }
  void meet() {}

 private:
  bool stopped_ = false;
};

struct by_number {
  int operator()(int key, int pes) const { return key % pes; }
};

/// Calls an element until a call is refused since the element has ended.
task<> see_end(element<heir> to) {
  for (;;) {
    bool refused = false;
    try {
      co_await to.call<&heir::at>();
    } catch (const error&) {
      refused = true;
    }
    if (refused) co_return;
    co_await sleep_for(std::chrono::microseconds(100));
  }
}

/// Calls until an element inserted again can be found.
task<> see_life(element<heir> to, int life) {
  for (int found = 0; found != life;) {
    try {
      found = co_await to.call<&heir::life>();
    } catch (const error&) {
    }
    if (found != life) co_await sleep_for(std::chrono::microseconds(100));
  }
}

TEST_P(broadcasts, to_an_element_do_not_reach_the_next_of_its_key) {
  if (GetParam().runs.begin()->machine != machine_kind::threads)
    GTEST_SKIP() << "time stands still while a PE is kept busy";
  run([]() -> task<> {
    using namespace std::chrono_literals;
    const int pes = num_pes();
    if (pes < 3) co_return;
    auto keep_busy = make_group<busy>();
    co_await keep_busy.created();
    auto all = make_array<heir>(keyed<int>().placed(by_number{}));
    const int root = detail::root_of(detail::processor::here().number_of(all[0].collection()), pes);
    const int near = (root + 1) % pes;
    const int home = (root + 2) % pes;
    const int witness = near + pes;
    all.insert(home, 1);
    all.insert(witness, 1);
    co_await quiescence();
    // The home gets the broadcast last, after the element has left it and ended elsewhere, so there is no
    // copy for it.
    send<&busy::churn>(keep_busy[home]);
    co_await keep_busy[home].call<&busy::meet>();
    send<&heir::hear>(all.with_priority(31));
    for (int receipts = 0; receipts == 0;) {
      receipts = co_await all[witness].call<&heir::receipts>();
      co_await sleep_for(100us);
    }
    send<&busy::churn>(keep_busy[near]);
    co_await keep_busy[near].call<&busy::meet>();
    co_await all[home].call<&heir::hop>(near);
    for (int at = -1; at != near;) at = co_await all[home].call<&heir::at>();
    all[home].destroy();
    co_await see_end(all[home]);
    all.insert(home, 2);
    co_await see_life(all[home], 2);
    send<&busy::stop>(keep_busy);
    co_await quiescence();
    const int receipts = co_await all[home].call<&heir::receipts>();
    EXPECT_LE(receipts, 1);
  });
}

TEST_P(broadcasts, and_entries_end_with_the_life_that_they_were_for) {
  run([]() -> task<> {
    constexpr int keys = 4;
    constexpr int lives = 6;
    auto all = make_array<heir>(keyed<int>());
    for (int k = 0; k < keys; ++k) all.insert(k, 1);
    co_await quiescence();
    int sent = 0;
    for (int life = 1; life <= lives; ++life) {
      for (int k = 0; k < keys; ++k) {
        send<&heir::roam>(all[k], life);
        for (bool roams = false; !roams;) roams = co_await all[k].call<&heir::roams>();
      }
      auto roster = all.reduce<&heir::life>(gather);
      for (int k = 0; k < keys; ++k) {
        send<&heir::hear>(all);
        ++sent;
        all[k].destroy();
        co_await see_end(all[k]);
        all.insert(k, life + 1);
        co_await see_life(all[k], life + 1);
      }
      const auto counted = co_await roster;
      EXPECT_LE(counted.size(), std::size_t{2 * keys});  // each life at most once
    }
    co_await quiescence();
    const int most = co_await all.reduce<&heir::receipts>(max);
    EXPECT_LE(most, sent);
  });
}

/// Ends at a broadcast, and must receive nothing after it.
class mortal : public chare<mortal> {
 public:
  void finish(const std::vector<char>&) {
    ended_ = true;
    destroy();
  }
  task<int> slow() {
    if (ended_) throw error("asked after its end");
    co_await sleep_for(std::chrono::microseconds(100));
    co_return 1;
  }

 private:
  bool ended_ = false;
};

TEST_P(broadcasts, that_come_late_are_not_followed_by_others_at_once) {
  run([]() -> task<> {
    for (int turn = 0; turn < 3; ++turn) {
      auto all = make_array<mortal>(8);
      co_await all.created();
      send<&mortal::finish>(all, std::vector<char>(1'000'000));  // long, so that the next broadcast overtakes
                                                                 // this one
      const std::string thrown = co_await awaited_error_of<error>(all.reduce<&mortal::slow>(sum));
      EXPECT_EQ(thrown.find("asked"), thrown.npos) << thrown;
    }
  });
}

}  // namespace imbrex::broadcasts_test
