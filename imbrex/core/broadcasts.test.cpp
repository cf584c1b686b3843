// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/machines.test.hpp>

namespace imbrex::broadcasts_test {

class broadcasts : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, broadcasts, testing::ValuesIn(machines()), name_of_machine);

/// What happens to an element in a round, of which all PEs think alike.
enum class fate { stays, moves, ends };
fate fate_of(int element, int round) {
  random dice(static_cast<std::uint64_t>(element) * 1000 + static_cast<std::uint64_t>(round));
  const auto thrown = dice.next() % 10;
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
  void hear(int round) { heard_.push_back(round); }
  int one() const { return 1; }
  int number() const { return where()[0]; }
  /// What it has heard, in order.
  std::vector<int> heard() {
    std::sort(heard_.begin(), heard_.end());
    return heard_;
  }
  task<int> read(int expected) {
    int total = 0;
    for (int n = 0; n < expected; ++n) total += co_await letters.receive();
    co_return total;
  }
  /// Moves on at each balance point, until it ends.
  task<> roam() {
    for (;;) {
      co_await sleep_for(std::chrono::microseconds(1));
      migrate_to((pe() + 1) % num_pes());
      co_await balance_point<&traveller::roam>();
    }
  }
  void finish() { destroy(); }
  void serialize(auto& ar) { ar(letters, heard_); }

 private:
  std::vector<int> heard_;
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
    const auto heard = co_await all.reduce<&traveller::heard>(gather);
    EXPECT_EQ(heard, std::vector(static_cast<std::size_t>(left), once));
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

}  // namespace imbrex::broadcasts_test
