// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::creations_test {

class creations : public on_machine {
 protected:
  /// True if messages sent by one entry keep their order. The deterministic machine delivers each separately,
  /// in an order of its own.
  static bool keeps_order_of_sent(const options& settings) {
    return keeps_order_of_waiting(settings) && settings.machine != machine_kind::deterministic;
  }
  /// True if messages that wait for something on one PE keep their order.
  static bool keeps_order_of_waiting(const options& settings) { return !settings.shuffle; }

  /// Runs a program and checks the values that it finds, in this order if the machine keeps it.
  template <class Main>
  void run_and_compare(const std::vector<int>& in_order, bool keeps_order(const options&), const Main& main) {
    for (const options& settings : GetParam().runs) {
      SCOPED_TRACE(text_of(settings));
      std::vector<int> found;
      EXPECT_EQ(run_once(settings, [&]() -> task<> { co_await main(found); }), 0);
      if (keeps_order(settings))
        EXPECT_EQ(found, in_order);
      else
        EXPECT_TRUE(std::ranges::is_permutation(found, in_order));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, creations, ::testing::ValuesIn(machines()), name_of_machine);

struct on_first {
  int operator()(const index<1>&, const index<1>&, int) const { return 0; }
};
struct on_last {
  int operator()(const index<1>&, const index<1>&, int pes) const { return pes - 1; }
};

class sapling;

/// Records events on a PE, and makes chares there.
class journal : public chare<journal> {
 public:
  void note(int what) { notes_.push_back(what); }
  std::vector<int> notes() const { return notes_; }
  void make_singles(group<journal> journals);
  void insert(array<sapling> into, group<journal> journals);
  void make_one_and_send(group<journal> journals);

 private:
  std::vector<int> notes_;
};

class sapling : public chare<sapling> {
 public:
  sapling(group<journal> journals, int which) : journals_(journals) { note(which); }
  void note(int what) { journals_.local()->note(what); }

 private:
  group<journal> journals_;
};

void journal::make_singles(group<journal> journals) {
  for (const int p : {5, -5, 0}) imbrex::with_priority(p).make_chare_on<sapling>(pe(), journals, p);
  make_chare_on<sapling>(pe(), journals, 1);
}

void journal::insert(array<sapling> into, group<journal> journals) {
  int at = 0;
  for (const int p : {5, -5, 0}) into.with_priority(p).insert(at++, journals, p);
  into.insert(at, journals, 1);
}

void journal::make_one_and_send(group<journal> journals) {
  const auto late = imbrex::with_priority(3).make_chare_on<sapling>(pe(), journals, 3);
  send<&sapling::note>(late, 10);
  send<&sapling::note>(late.with_priority(-1), -10);
  send<&journal::note>(self(), 0);
}

TEST_P(creations, of_single_chares_go_by_priority) {
  run_and_compare({-5, 0, 1, 5}, keeps_order_of_sent, [](std::vector<int>& found) -> task<> {
    const auto journals = make_group<journal>();
    const auto last = journals[num_pes() - 1];
    co_await last.call<&journal::make_singles>(journals);
    co_await quiescence();
    found = co_await last.call<&journal::notes>();
  });
}

TEST_P(creations, of_elements_go_by_priority) {
  run_and_compare({-5, 0, 1, 5}, keeps_order_of_sent, [](std::vector<int>& found) -> task<> {
    const auto journals = make_group<journal>();
    const auto last = journals[num_pes() - 1];
    const auto grove = make_array<sapling>(sparse(index<1>(9)).placed(on_last{}));
    co_await last.call<&journal::insert>(grove, journals);
    co_await quiescence();
    found = co_await last.call<&journal::notes>();
  });
}

TEST_P(creations, may_be_coalesced) {
  run([]() -> task<> {
    constexpr int each = 50;
    const auto journals = make_group<journal>();
    co_await journals.created();
    const auto grove = make_array<sapling>(sparse(index<1>(each)).placed(round_robin));
    for (int i = 0; i < each; ++i) {
      imbrex::coalesced().insert(grove, i, journals, i);
      imbrex::coalesced().with_priority(-1).make_chare<sapling>(journals, each + i);
      send<&sapling::note>(grove[i].coalesced(), 2 * each + i);
    }
    co_await quiescence();
    auto found = co_await journals.reduce<&journal::notes>(gather);
    std::vector<int> all;
    for (const auto& of_pe : found) all.insert(all.end(), of_pe.begin(), of_pe.end());
    std::ranges::sort(all);
    std::vector<int> expected(std::size_t{3} * each);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
  });
}

TEST_P(creations, that_go_last_keep_messages_waiting) {
  run_and_compare({0, 3, -10, 10}, keeps_order_of_sent, [](std::vector<int>& found) -> task<> {
    const auto journals = make_group<journal>();
    const auto last = journals[num_pes() - 1];
    co_await last.call<&journal::make_one_and_send>(journals);
    co_await quiescence();
    found = co_await last.call<&journal::notes>();
  });
}

TEST_P(creations, hand_over_what_waited_by_priority_and_then_by_arrival) {
  run_and_compare({7, 2, 4, 3, 6, 1, 5}, keeps_order_of_waiting, [](std::vector<int>& found) -> task<> {
    const auto journals = make_group<journal>();
    const auto grove = make_array<sapling>(sparse(index<1>(9)).placed(on_last{}));
    int number = 0;
    for (const int p : {3, -2, 0, -2, 3, 0}) {
      send<&sapling::note>(grove[4].with_priority(p), ++number);
      co_await quiescence();  // the message waits at its home
    }
    grove.insert(4, journals, 7);
    co_await quiescence();
    found = co_await journals[num_pes() - 1].call<&journal::notes>();
  });
}

TEST_P(creations, have_priorities_in_the_range_of_messages) {
  run([]() -> task<> {
    EXPECT_THROW(imbrex::with_priority(-33), error);
    EXPECT_THROW(imbrex::with_priority(32), error);
    const auto journals = make_group<journal>();
    co_await journals.call<&journal::note>(0);
    const auto first = imbrex::with_priority(-32).make_chare<sapling>(journals, 1);
    EXPECT_EQ(first.priority(), 0);  // the priority is that of the creation, not of messages to the chare
    EXPECT_EQ(imbrex::with_priority(31).make_chare<sapling>(journals, 1).priority(), 0);
    co_await first.call<&sapling::note>(2);
  });
}

TEST_P(creations, leave_the_priority_of_a_proxy_to_its_elements) {
  run([]() -> task<> {
    const auto first = make_array<journal>(3).with_priority(-7);
    EXPECT_EQ(first[1].priority(), -7);
    EXPECT_EQ(first.section({{1}, {2}}).priority(), -7);
    EXPECT_EQ(make_group<journal>().with_priority(4)[0].priority(), 4);
    co_await first[2].call<&journal::note>(1);
  });
}

/// Uses the group members of the PE directly.
class reader : public chare<reader> {
 public:
  bool sees(group<journal> journals) { return journals.local() != nullptr; }
  task<bool> waits_for(group<journal> journals) {
    co_await journals.created();
    co_return journals.local() != nullptr;
  }
  task<bool> makes_one() {
    const auto journals = make_group<journal>();
    co_await journals.created();
    co_return journals.local()->notes().empty();
  }
};

TEST_P(creations, can_be_awaited) {
  run([]() -> task<> {
    const auto readers = make_array<reader>(dense(index<1>(num_pes())).placed(round_robin));
    co_await readers.created();
    const auto journals = make_group<journal>();
    co_await journals.created();
    for (int p = 0; p < num_pes(); ++p) {
      const bool sees = co_await readers[p].call<&reader::sees>(journals);
      EXPECT_TRUE(sees);
    }
    co_await journals.created();  // a second time
  });
}

TEST_P(creations, can_be_awaited_by_entries_and_by_others) {
  run([]() -> task<> {
    const auto readers = make_array<reader>(dense(index<1>(num_pes())).placed(round_robin));
    const bool others = co_await readers.reduce<&reader::waits_for>(all, make_group<journal>());
    EXPECT_TRUE(others);
    const bool entries = co_await readers.reduce<&reader::makes_one>(all);
    EXPECT_TRUE(entries);
  });
}

TEST_P(creations, of_no_elements_can_be_awaited) {
  run([]() -> task<> {
    const auto grove = make_array<sapling>(sparse(index<1>(9)));
    co_await grove.created();
    EXPECT_THROW(static_cast<void>(array<journal>().created()), error);
    EXPECT_THROW(static_cast<void>(group<journal>().created()), error);
  });
}

/// Takes part in a reduction before its construction has ended.
class hasty : public chare<hasty> {
 public:
  hasty() { static_cast<void>(all_reduce(1, sum)); }
};

TEST_P(creations, end_before_a_chare_takes_part_in_reductions) {
  run([]() -> task<> {
    const std::string text =
        error_of<error>([&] { make_array<hasty>(dense(index<1>(1)).placed(on_first{})); });
    EXPECT_NE(text.find("all_reduce: hasty(0) is still under construction"), std::string::npos) << text;
    co_return;
  });
}

/// Requests to leave or to end; some then throw.
class undecided : public chare<undecided> {
 public:
  undecided() = default;
  explicit undecided(int from) {
    where()[0] % 2 == 0 ? migrate_to((pe() + 1) % num_pes()) : destroy();
    if (where()[0] >= from) throw std::domain_error("it broke");
  }
  void serialize(auto&) {}
};

TEST_P(creations, may_fail_after_constructors_have_asked_to_migrate_or_end) {
  run([]() -> task<> {
    for (const int from : {0, 1, 2, 3, 4}) {
      const std::string text =
          error_of<error>([&] { make_array<undecided>(dense(index<1>(5)).placed(on_first{}), from); });
      EXPECT_NE(text.find("it broke"), std::string::npos) << text;
      co_await quiescence();
    }
  });
}

/// The last element on the first PE cannot be created.
class counted : public chare<counted> {
 public:
  explicit counted(int last) {
    if (where()[0] == last) throw std::domain_error("one too many");
    ++alive;
  }
  ~counted() { --alive; }

  static inline std::atomic<int> alive = 0;
};

TEST_P(creations, that_fail_leave_no_elements) {
  run([]() -> task<> {
    for (int again = 0; again < 20; ++again) {
      EXPECT_THROW(make_array<counted>(dense(index<1>(9)).placed(round_robin), 0), error);
      EXPECT_THROW(make_array<counted>(dense(index<1>(9)).placed(on_first{}), 8), error);
      EXPECT_THROW(make_group<counted>(0), error);
    }
    co_await quiescence();
    EXPECT_EQ(counted::alive, 0);
  });
}

/// Elements on the last PE cannot be created.
class partner : public chare<partner> {
 public:
  partner() {
    if (pe() == num_pes() - 1) throw std::domain_error("nobody is here");
  }
  task<int> combine(int times) {
    int whole = 0;
    for (int t = 0; t < times; ++t) whole = co_await all_reduce(1, sum);
    co_return whole;
  }
};

TEST_P(creations, that_fail_elsewhere_fail_reductions_of_all) {
  run([]() -> task<> {
    if (num_pes() == 1) co_return;
    for (int again = 0; again < 3; ++again) {
      const auto partners = make_array<partner>(2 * num_pes());
      const int there = 2 * (num_pes() - 1);
      auto created = partners.created();
      std::vector<pending<int>> results;
      // Begun before any PE can know of the failure, and again when all know.
      for (int i = 0; i < there / 2; ++i) results.push_back(partners[i].call<&partner::combine>(2));
      const std::string why = co_await awaited_error_of<error>(created);
      EXPECT_NE(why.find("nobody is here"), std::string::npos) << why;
      for (int i = there / 2; i < there; ++i) results.push_back(partners[i].call<&partner::combine>(2));
      int failed = 0;
      for (auto& result : results) {
        try {
          co_await result;
        } catch (const error& e) {
          failed += e.what() == why ? 1 : 0;
        }
      }
      EXPECT_EQ(failed, there);
      co_await partners.destroy();
    }
  });
}

}  // namespace imbrex::creations_test
