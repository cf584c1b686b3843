// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/inbox.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace imbrex::detail {
namespace {

TEST(inbox, gives_items_in_the_order_of_posting) {
  inbox pe_inbox;
  EXPECT_FALSE(pe_inbox.has_items());
  EXPECT_EQ(pe_inbox.take(), nullptr);
  std::array<work, 5> items;
  for (auto& i : items) pe_inbox.post(i);
  EXPECT_TRUE(pe_inbox.has_items());
  const work* w = pe_inbox.take();
  for (const auto& i : items) {
    EXPECT_EQ(w, &i);
    w = w->next;
  }
  EXPECT_EQ(w, nullptr);
  EXPECT_FALSE(pe_inbox.has_items());
}

TEST(inbox, does_not_park_over_an_item) {
  inbox pe_inbox;
  work item;
  pe_inbox.post(item);
  EXPECT_FALSE(pe_inbox.park());
  EXPECT_EQ(pe_inbox.take(), &item);
  EXPECT_TRUE(pe_inbox.park());
  EXPECT_TRUE(pe_inbox.is_parked());
  pe_inbox.post(item);
  EXPECT_FALSE(pe_inbox.is_parked());
  pe_inbox.sleep(std::nullopt);  // returns at once
  EXPECT_EQ(pe_inbox.take(), &item);
}

TEST(inbox, sleeps_no_longer_than_asked) {
  inbox pe_inbox;
  ASSERT_TRUE(pe_inbox.park());
  const auto begin = std::chrono::steady_clock::now();
  pe_inbox.sleep(std::chrono::milliseconds(20));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(19));
  EXPECT_FALSE(pe_inbox.is_parked());
  ASSERT_TRUE(pe_inbox.park());
  pe_inbox.sleep(std::chrono::nanoseconds(-5));
  EXPECT_FALSE(pe_inbox.is_parked());
}

TEST(inbox, a_wake_left_over_from_before_does_not_end_a_later_sleep) {
  inbox pe_inbox;
  work item;
  ASSERT_TRUE(pe_inbox.park());
  pe_inbox.post(item);  // the eventfd is raised, but no thread sleeps in it
  pe_inbox.sleep(std::nullopt);
  EXPECT_EQ(pe_inbox.take(), &item);
  ASSERT_TRUE(pe_inbox.park());
  const auto begin = std::chrono::steady_clock::now();
  pe_inbox.sleep(std::chrono::milliseconds(20));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(19));
}

/// Many threads post, one takes and sleeps whenever it can. No item is lost, duplicated or left while the
/// owner sleeps. Items of one thread keep their order.
TEST(inbox, loses_nothing_among_many_posters) {
  struct numbered : work {
    int poster = 0;
    int number = 0;
  };
  constexpr int posters = 3;
  constexpr int each = 20'000;
  inbox pe_inbox;
  std::vector<std::vector<numbered>> items(posters, std::vector<numbered>(each));
  std::vector<std::thread> threads;
  std::atomic<bool> is_parked = false;  // ensures that it sleeps at least once
  for (int p = 0; p < posters; ++p)
    threads.emplace_back([&, p] {
      is_parked.wait(false);
      for (int i = 0; i < each; ++i) {
        auto& item = items[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)];
        item.poster = p;
        item.number = i;
        pe_inbox.post(item);
        if (i % 1000 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
  std::array<int, posters> next{};
  int wrong = 0;
  int sleeps = 0;
  for (int left = posters * each; left > 0;) {
    for (work* w = pe_inbox.take(); w != nullptr;) {
      auto& item = static_cast<numbered&>(*w);
      w = w->next;
      wrong += next[static_cast<std::size_t>(item.poster)]++ != item.number ? 1 : 0;
      --left;
    }
    if (left > 0 && pe_inbox.park()) {
      ++sleeps;
      is_parked = true;
      is_parked.notify_all();
      pe_inbox.sleep(std::chrono::seconds(20));
      ASSERT_TRUE(pe_inbox.has_items()) << "slept past an item";
    }
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(sleeps, 0);
}

/// The algorithm of inbox, one atomic step at a time: two threads post two items each, the owner takes, parks
/// and sleeps. The test tries all possible orders of these steps.
class interleavings {
 public:
  static constexpr int posters = 2;
  static constexpr int each = 2;
  static constexpr int nobody = -1;
  static constexpr int parked = -2;

  struct state {
    std::array<int, posters> step{};    // next step by poster: 0 load, 1 exchange, 2 wake
    std::array<int, posters> posted{};  // by poster: number of posted items
    std::array<int, posters> seen{nobody, nobody};
    std::array<int, posters * each> next{};  // by item: the older one
    int head = nobody;
    int wakes = 0;       // number of wakes in the eventfd
    int owner = 0;       // 0 take, 1 park, 2 check before sleeping, 3 asleep, 4 end of the sleep
    unsigned taken = 0;  // a bit for each item
    int sleeps = 0;

    auto operator<=>(const state&) const = default;
  };

  void explore(const state& s) {
    if (!visited_.insert(s).second) return;
    bool can_move = false;
    for (int p = 0; p < posters; ++p)
      if (s.posted[at(p)] < each || s.step[at(p)] == 2) {
        can_move = true;
        explore(post_step(s, p));
      }
    if (s.owner != 3 || s.wakes > 0) {
      if (s.taken == all_items && s.owner == 0 && s.head == nobody) {
        ++ends_;
      } else {
        can_move = true;
        explore(owner_step(s));
      }
    } else if (!can_move) {
      // The owner sleeps for ever: correct only if no item is left.
      EXPECT_EQ(s.taken, all_items) << "the owner sleeps over an item";
      EXPECT_EQ(s.head, parked);
      ++ends_;
    }
  }

  std::size_t states() const { return visited_.size(); }
  int ends() const { return ends_; }

 private:
  static constexpr unsigned all_items = (1U << (posters * each)) - 1;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  static state post_step(state s, int p) {
    const int item = p * each + s.posted[at(p)];
    switch (s.step[at(p)]) {
      case 0:
        s.seen[at(p)] = s.head;
        s.step[at(p)] = 1;
        break;
      case 1:
        if (s.head != s.seen[at(p)]) {  // the exchange fails and loads
          s.seen[at(p)] = s.head;
          break;
        }
        s.next[at(item)] = s.seen[at(p)] == parked ? nobody : s.seen[at(p)];
        s.head = item;
        ++s.posted[at(p)];
        s.step[at(p)] = s.seen[at(p)] == parked ? 2 : 0;
        break;
      default: ++s.wakes; s.step[at(p)] = 0;
    }
    return s;
  }

  static state owner_step(state s) {
    switch (s.owner) {
      case 0:
        if (s.head == nobody) {
          s.owner = 1;
          break;
        }
        for (int i = s.head; i != nobody; i = s.next[at(i)]) {
          EXPECT_EQ(s.taken >> i & 1U, 0U) << "item " << i << " came twice";
          s.taken |= 1U << i;
        }
        s.head = nobody;
        break;
      case 1:
        if (s.head == nobody) {
          s.head = parked;
          s.owner = 2;
          ++s.sleeps;
        } else {
          s.owner = 0;
        }
        break;
      case 2: s.owner = s.head == parked ? 3 : 4; break;
      case 3:
        s.wakes = 0;
        s.owner = 2;
        break;
      default:
        if (s.head == parked) s.head = nobody;
        s.owner = 0;
    }
    return s;
  }

  std::set<state> visited_;
  int ends_ = 0;
};

TEST(inbox, no_order_of_its_steps_loses_doubles_or_sleeps_over_an_item) {
  interleavings all;
  all.explore({});
  EXPECT_GT(all.states(), 1000U);
  EXPECT_GT(all.ends(), 0);
}

}  // namespace
}  // namespace imbrex::detail
