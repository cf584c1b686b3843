// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::migration_test {

class migration : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, migration, ::testing::ValuesIn(machines()), name_of_machine);

class traveller : public chare<traveller> {
 public:
  mailbox<std::string> letters;

  int on() const { return pe(); }
  void go(int to) { migrate_to(to); }
  /// Raises the epoch as `moves` migrations would.
  void age(std::uint64_t moves) { detail::element_memory<traveller>::of(*this).epoch += moves; }
  void go_nowhere() {
    migrate_to(pe());
    send<&traveller::set>(self().with_priority(-5), 1);
  }
  void set(int value) { value_ = value; }
  int value() const { return value_; }
  std::string complaint(int to) {
    return error_of<error>([&] { migrate_to(to); });
  }
  std::string complaint_in_a_group() { return complaint((pe() + 1) % num_pes()); }
  task<std::string> read(std::vector<int> references) {
    std::string text;
    for (const int r : references) {
      const std::string item = co_await letters.receive(r);
      text += item;
    }
    co_return text;
  }
  task<int> tour(int rounds) {
    while (round_ < rounds) {
      ++round_;
      migrate_to(round_ % num_pes());
      co_await balance_point<&traveller::tour>(rounds);
      if (pe() != round_ % num_pes()) co_return -1;
    }
    co_return round_;
  }
  task<> leave_then_wait() {
    migrate_to(num_pes() - 1);
    co_await sleep_for(std::chrono::microseconds(10));
  }
  void leave_and_die() {
    migrate_to(num_pes() - 1);
    destroy();
  }
  void die_and_leave() {
    destroy();
    migrate_to(num_pes() - 1);
  }
  task<> die_at_balance_point() {
    destroy();
    migrate_to(num_pes() - 1);
    co_await balance_point<&traveller::die_at_balance_point>();
  }
  int added(const std::vector<int>& numbers) {
    ++calls_;
    return std::accumulate(numbers.begin(), numbers.end(), 0);
  }
  task<int> added_later(std::vector<int> numbers) {
    co_await sleep_for(std::chrono::microseconds(10));
    co_return added(numbers);
  }
  int calls() const { return calls_; }
  task<> wait_for(int reference) { co_await letters.receive(reference); }
  task<std::string> balance_beside_another() {
    migrate_to((pe() + 1) % num_pes());
    std::string text;
    try {
      co_await balance_point<&traveller::balance_beside_another>();
    } catch (const error& e) {
      text = e.what();
    }
    co_return text;
  }
  task<int> work(int steps) {
    while (steps-- > 0) {
      co_await give_way();
      co_await balance_point<&traveller::work>(steps);
    }
    co_return pe();
  }
  task<> balance_in_a_task() { co_await balance_point<&traveller::balance_in_a_task>(); }
  task<std::string> balance_below() {
    migrate_to((pe() + 1) % num_pes());
    const std::string text = co_await awaited_error_of<error>(balance_in_a_task());
    co_return text;
  }
  void serialize(auto& ar) { ar(value_, round_, calls_, letters); }

 private:
  int value_ = 0;
  int calls_ = 0;
  int round_ = 0;
};

TEST_P(migration, members_and_unread_letters_travel) {
  run([]() -> task<> {
    auto all = make_array<traveller>({3});
    send<&traveller::set>(all[1], 17);
    send<&traveller::letters>(all[1], 2, "two ");
    send<&traveller::letters>(all[1], 1, "one ");
    send<&traveller::letters>(all[1], 3, "three ");
    co_await quiescence();
    for (int p = num_pes() - 1; p >= 0; --p) {
      send<&traveller::go>(all[1], p);
      co_await quiescence();
      const int on = co_await all[1].call<&traveller::on>();
      EXPECT_EQ(on, p);
      const int value = co_await all[1].call<&traveller::value>();
      EXPECT_EQ(value, 17);
    }
    send<&traveller::letters>(all[1], 2, "two again");
    const auto text = co_await all[1].call<&traveller::read>(std::vector<int>{1, 2, 3, 2});
    EXPECT_EQ(text, "one two three two again");
  });
}

TEST_P(migration, a_caller_does_not_notice_balance_points) {
  run([]() -> task<> {
    auto all = make_array<traveller>({4});
    const int rounds = co_await all.reduce<&traveller::tour>(min, 20);
    EXPECT_EQ(rounds, 20);
    auto single = make_chare<traveller>();
    const int alone = co_await single.call<&traveller::tour>(9);
    EXPECT_EQ(alone, 9);
  });
}

TEST_P(migration, to_no_pe_is_refused) {
  run([]() -> task<> {
    auto all = make_array<traveller>({1});
    const auto below = co_await all[0].call<&traveller::complaint>(-1);
    EXPECT_NE(below.find("no PE -1"), std::string::npos) << below;
    const auto above = co_await all[0].call<&traveller::complaint>(num_pes());
    EXPECT_NE(above.find("no PE " + std::to_string(num_pes())), std::string::npos) << above;
  });
}

TEST_P(migration, to_the_own_pe_ends_with_urgent_messages_under_way) {
  run([]() -> task<> {
    auto all = make_array<traveller>({1});
    send<&traveller::go_nowhere>(all[0]);
    co_await quiescence();
    const int value = co_await all[0].call<&traveller::value>();
    EXPECT_EQ(value, 1);
  });
}

/// Large enough to be overtaken by the notification of its destination.
class heavy : public chare<heavy> {
 public:
  void item() {
    ++got_;
    migrate_to((pe() + 1) % num_pes());
  }
  int got() const { return got_; }
  void serialize(auto& ar) { ar(ballast_, got_); }

 private:
  std::string ballast_ = std::string(20'000, 'b');
  int got_ = 0;
};

class urgent_writer : public chare<urgent_writer> {
 public:
  void write(array<heavy> to, int letters) {
    for (int n = 0; n < letters; ++n)
      for (int i = 0; i < to.shape()[0]; ++i) send<&heavy::item>(to[i].with_priority(-4));
  }
};

TEST_P(migration, urgent_messages_wait_for_an_element_that_is_on_its_way) {
  run([]() -> task<> {
    constexpr int elements = 4;
    constexpr int letters = 10;
    auto all = make_array<heavy>(elements);
    auto writers = make_group<urgent_writer>();
    send<&urgent_writer::write>(writers, all, letters);
    co_await quiescence();
    const int got = co_await all.reduce<&heavy::got>(sum);
    EXPECT_EQ(got, elements * letters * num_pes());
  });
}

TEST_P(migration, and_destruction_in_one_entry_end_the_element_once) {
  run([]() -> task<> {
    auto all = make_array<traveller>({3});
    send<&traveller::leave_and_die>(all[0]);
    send<&traveller::die_and_leave>(all[1]);
    send<&traveller::die_at_balance_point>(all[2]);
    co_await quiescence();
    for (int i = 0; i < 3; ++i) {
      const std::string text = co_await awaited_error_of<error>(all[i].call<&traveller::value>());
      EXPECT_NE(text.find("destroyed"), std::string::npos) << text;
    }
  });
}

TEST_P(migration, a_single_chare_destroyed_far_from_home_is_gone) {
  run([]() -> task<> {
    auto c = make_chare_on<traveller>(0);
    send<&traveller::go>(c, num_pes() - 1);
    co_await quiescence();
    c.destroy();
    co_await quiescence();
    const std::string text = co_await awaited_error_of<error>(c.call<&traveller::value>());
    EXPECT_NE(text.find("destroyed"), std::string::npos) << text;
  });
}

TEST_P(migration, beside_a_suspended_entry_is_an_error_that_names_it) {
  run([]() -> task<> {
    auto all = make_array<traveller>({1});
    auto waits = all[0].call<&traveller::wait_for>(8);
    co_await quiescence();
    const auto text = co_await all[0].call<&traveller::balance_beside_another>();
    const auto below = co_await all[0].call<&traveller::balance_below>();
    send<&traveller::letters>(all[0], 8, "eight");
    co_await waits;
    if (num_pes() > 1) {
      EXPECT_NE(text.find("wait_for"), std::string::npos) << text;
      EXPECT_NE(text.find("letters with reference 8"), std::string::npos) << text;
      EXPECT_NE(below.find("by the entry method itself"), std::string::npos) << below;
    }
  });
}

/// Requests moves of elements on its PE, as a balancer does.
class mover : public chare<mover> {
 public:
  void move_all(element<traveller> any) {
    auto& here = detail::processor::here();
    auto* const part = detail::array_at(here, here.number_of(any.collection()));
    for (auto* e : std::vector<chare_header*>(part->locals())) part->move(*e, (pe() + 1) % num_pes());
  }
};

TEST_P(migration, that_others_ask_for_waits_for_no_second_entry) {
  run([]() -> task<> {
    const auto all = make_array<traveller>({2});
    co_await all.created();
    const auto movers = make_group<mover>();
    const int home = co_await all[0].call<&traveller::on>();
    auto waits = all[0].call<&traveller::wait_for>(8);
    co_await quiescence();
    send<&mover::move_all>(movers[home], all[0]);
    const int stayed = co_await all[0].call<&traveller::work>(5);
    EXPECT_EQ(stayed, home);
    send<&traveller::letters>(all[0], 8, "eight");
    co_await waits;
    send<&mover::move_all>(movers[home], all[0]);
    const int moved = co_await all[0].call<&traveller::work>(5);
    EXPECT_EQ(moved, (home + 1) % num_pes());
  });
}

TEST(migration_statistics, tell_of_elements_that_stay) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(imbrex::run(options{.pes = 2, .reports = {.stats = true}},
                        []() -> task<> {
                          const auto all = make_array<traveller>({2});
                          co_await all.created();
                          const auto movers = make_group<mover>();
                          auto waits = all[0].call<&traveller::wait_for>(8);
                          co_await quiescence();
                          send<&mover::move_all>(movers[0], all[0]);
                          co_await all[0].call<&traveller::work>(5);
                          send<&traveller::letters>(all[0], 8, "eight");
                          co_await waits;
                          send<&traveller::go>(all[0], 1);
                          co_await quiescence();
                        }),
            0);
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("elements  1 have migrated; 1 did not migrate on request"), std::string::npos) << text;
}

/// Takes part in all operations at once: sends, mailboxes, broadcasts, reductions and a migration each round.
class nomad : public chare<nomad> {
 public:
  mailbox<std::uint64_t> port;

  void take(std::uint64_t id) { got_.push_back(id); }
  std::uint64_t take_and_answer(std::uint64_t id) {
    got_.push_back(id);
    return id;
  }
  void take_from_root(std::uint64_t id) { broadcasts_.push_back(id); }
  int one() const { return 1; }

  task<int> roam(int rounds, std::uint64_t seed) {
    const int n = peers().shape()[0];
    while (round_ < rounds) {
      random dice(seed + 1000 * static_cast<std::uint64_t>(where()[0]) + static_cast<std::uint64_t>(round_));
      for (auto sends = dice.below(4); sends > 0; --sends) {
        const int to = static_cast<int>(dice.below(static_cast<std::uint64_t>(n)));
        send<&nomad::take>(peers()[to], next_id(to));
      }
      const int right = (where()[0] + 1) % n;
      send<&nomad::port>(peers()[right], round_, static_cast<std::uint64_t>(where()[0]));
      const auto from_left = co_await port.receive(round_);
      if (from_left != static_cast<std::uint64_t>((where()[0] + n - 1) % n)) ++mistakes_;
      if (dice.below(2) == 0) {
        const int to = static_cast<int>(dice.below(static_cast<std::uint64_t>(n)));
        const auto id = next_id(to);
        const auto answer = co_await peers()[to].call<&nomad::take_and_answer>(id);
        if (answer != id) ++mistakes_;
      }
      auto first = all_reduce(where()[0], sum);
      auto second = all_reduce(1, sum);
      const int count = co_await second;
      const int total = co_await first;
      if (count != n || total != n * (n - 1) / 2) ++mistakes_;
      ++round_;
      if (dice.below(3) > 0) migrate_to(static_cast<int>(dice.below(static_cast<std::uint64_t>(num_pes()))));
      co_await balance_point<&nomad::roam>(rounds, seed);
    }
    co_return mistakes_;
  }

  std::vector<std::uint64_t> got() const { return got_; }
  std::vector<std::uint64_t> broadcasts() const { return broadcasts_; }
  std::vector<std::pair<int, std::uint64_t>> sent() const { return sent_; }
  void serialize(auto& ar) { ar(got_, broadcasts_, sent_, round_, mistakes_, port); }

 private:
  std::uint64_t next_id(int to) {
    sent_.emplace_back(to, (static_cast<std::uint64_t>(where()[0]) << 32U) + sent_.size());
    return sent_.back().second;
  }

  std::vector<std::uint64_t> got_;
  std::vector<std::uint64_t> broadcasts_;
  std::vector<std::pair<int, std::uint64_t>> sent_;
  int round_ = 0;
  int mistakes_ = 0;
};

task<> storm(std::uint64_t seed) {
  random dice(seed);
  const int n = 1 + static_cast<int>(dice.below(9));
  auto all = make_array<nomad>({n});
  auto mistakes = all.reduce<&nomad::roam>(sum, 12, seed);
  std::vector<std::uint64_t> from_root;
  for (std::uint64_t i = 0; i < 15; ++i) {
    from_root.push_back(i);
    send<&nomad::take_from_root>(all, i);
    const int members = co_await all.reduce<&nomad::one>(sum);
    EXPECT_EQ(members, n);
    if (dice.below(3) == 0) co_await sleep_for(std::chrono::microseconds(dice.below(200)));
  }
  const int wrong = co_await mistakes;
  EXPECT_EQ(wrong, 0);
  co_await quiescence();
  const auto sent = co_await all.reduce<&nomad::sent>(gather);
  auto got = co_await all.reduce<&nomad::got>(gather);
  auto broadcasts = co_await all.reduce<&nomad::broadcasts>(gather);
  std::vector<std::vector<std::uint64_t>> expected(static_cast<std::size_t>(n));
  for (const auto& by_one : sent)
    for (const auto& [to, id] : by_one) expected[static_cast<std::size_t>(to)].push_back(id);
  for (auto& e : expected) std::sort(e.begin(), e.end());
  for (auto& g : got) std::sort(g.begin(), g.end());
  for (auto& b : broadcasts) {
    std::sort(b.begin(), b.end());
    EXPECT_EQ(b, from_root);
  }
  EXPECT_EQ(got, expected);
}

/// Each message is delivered exactly once while every element moves at every opportunity; over many orders.
TEST(migration_storm, delivers_exactly_once_in_any_deterministic_order) {
  for (std::uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(seeded(static_cast<int>(seed % 5 + 1), seed), [seed] { return storm(seed); }), 0);
  }
}
TEST(migration_storm, delivers_exactly_once_on_shuffled_threads) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const options settings{
        .pes = static_cast<int>(seed % 4 + 1), .shuffle = seed, .serialize_always = seed % 2 == 0};
    EXPECT_EQ(run(settings, [seed] { return storm(seed); }), 0);
  }
}
TEST(migration_storm, delivers_exactly_once_on_plain_threads) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(threads(static_cast<int>(seed % 4 + 1)), [seed] { return storm(seed); }), 0);
  }
}

TEST_P(migration, of_the_chares_of_a_group_is_refused) {
  run([]() -> task<> {
    const auto all = make_group<traveller>();
    for (int p = 0; p < num_pes(); ++p) {
      const std::string text = co_await all[p].call<&traveller::complaint_in_a_group>();
      if (num_pes() == 1) {
        EXPECT_EQ(text, "");
      } else {
        EXPECT_NE(text.find("traveller(" + std::to_string(p) + ") belongs to a group"), std::string::npos)
            << text;
      }
      const int there = co_await all[p].call<&traveller::on>();
      EXPECT_EQ(there, p);
    }
  });
}

TEST_P(migration, sections_find_their_members_wherever_they_are) {
  run([]() -> task<> {
    constexpr int elements = 23;
    constexpr int rounds = 6;
    auto all = make_array<traveller>(elements);
    std::vector<index<1>> odd;
    for (int i = 1; i < elements; i += 2) odd.push_back(i);
    const auto some = all.section(odd);
    const std::vector<int> numbers(3000, 2);
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < elements; ++i) send<&traveller::go>(all[i], (i * 7 + round) % num_pes());
      if (round % 2 == 1) co_await quiescence();  // otherwise some elements are in flight
      EXPECT_EQ(co_await some.reduce<&traveller::added>(sum, numbers), 11 * 6000);
      EXPECT_EQ(co_await some.reduce<&traveller::added_later>(gather, numbers), std::vector<int>(11, 6000));
      send<&traveller::letters>(some, round, "x");
      EXPECT_EQ(co_await some.reduce<&traveller::read>(gather, std::vector<int>{round}),
                std::vector<std::string>(11, "x"));
    }
    const auto calls = co_await all.reduce<&traveller::calls>(gather);
    for (std::size_t i = 0; i < elements; ++i) EXPECT_EQ(calls[i], i % 2 == 1 ? 2 * rounds : 0) << i;
  });
}

/// Leaves as soon as it is made, so that it may arrive before its array. Code that runs on its arrival
/// queries its location.
class early : public chare<early> {
 public:
  early(int shift, bool) { migrate_to((pe() + shift) % num_pes()); }
  early() : peers_(peers().shape()[0]), where_(where()[0]), pe_(pe()), pe_of_thread_(imbrex::pe()) {
    send<&early::hear>(self());
  }
  ~early() { peers_at_end_ = peers().shape()[0]; }
  void hear() { ++received_count_; }
  bool is_right() const {
    const bool arrived = pe_ >= 0;
    if (!arrived) return received_count_ == 0;
    return peers_ == peers().shape()[0] && where_ == where()[0] && pe_ == pe() && pe_of_thread_ == pe_ &&
           pe_in_serialize_ == pe_ && received_count_ == 1;
  }
  void serialize(auto& ar) {
    ar(received_count_);
    pe_in_serialize_ = pe();
    static_cast<void>(peers()[where()]);
  }

 private:
  int peers_ = 0;
  int where_ = -1;
  int pe_ = -1;
  int pe_of_thread_ = -1;
  int pe_in_serialize_ = -1;
  int received_count_ = 0;
  int peers_at_end_ = 0;
};

TEST_P(migration, of_what_arrives_before_its_array_waits_for_it) {
  run([]() -> task<> {
    std::vector<array<early>> all;
    for (int i = 0; i < 20; ++i) all.push_back(make_array<early>(8, i % num_pes(), true));
    co_await quiescence();
    for (const auto& each : all) {
      const auto right = co_await each.reduce<&early::is_right>(gather);
      EXPECT_EQ(right, std::vector<bool>(8, true));
    }
  });
}

class sender : public chare<sender> {
 public:
  void say(element<traveller> to, int value) { send<&traveller::set>(to, value); }
};

/// A sender with an old location reaches the element, however often it has moved since.
TEST_P(migration, is_followed_after_any_number_of_moves) {
  run([]() -> task<> {
    const auto all = make_array<traveller>(4);
    const auto senders = make_group<sender>();
    co_await senders.created();
    const auto element = all[0];
    const int last = num_pes() - 1;
    int value = 0;
    for (const std::uint64_t moves : {32'768ULL, 65'535ULL, 1ULL << 31U, (1ULL << 32U) - 1, 1ULL << 40U}) {
      for (int p = 0; p < num_pes(); ++p) {
        send<&sender::say>(senders[p], element, ++value);  // the sender is notified of the element's location
        co_await quiescence();
      }
      co_await element.call<&traveller::age>(moves);
      for (const int to : {last, 0, last / 2}) {
        co_await element.call<&traveller::go>(to);
        co_await quiescence();
      }
      for (int p = 0; p < num_pes(); ++p) {
        send<&sender::say>(senders[p], element, ++value);
        co_await quiescence();
        const int result = co_await element.call<&traveller::value>();
        EXPECT_EQ(result, value) << moves;
      }
    }
  });
}

/// The request that the element's class makes during migration.
enum class wish { migrate, end, reduce };

template <wish Wish, bool InSerialize>
class restless : public chare<restless<Wish, InSerialize>> {
 public:
  explicit restless(int) {}
  restless() {
    if constexpr (!InSerialize) ask();
  }
  void go() { this->migrate_to((this->pe() + 1) % this->num_pes()); }
  void serialize(auto&) {
    if constexpr (InSerialize) ask();
  }

 private:
  void ask() {
    if constexpr (Wish == wish::migrate) this->migrate_to((this->pe() + 1) % this->num_pes());
    if constexpr (Wish == wish::end) this->destroy();
    if constexpr (Wish == wish::reduce) static_cast<void>(this->all_reduce(1, sum));
  }
};

template <wish Wish, bool InSerialize>
void expect_refusal(const std::string& text) {
  const auto main = []() -> task<> {
    const auto all = make_array<restless<Wish, InSerialize>>(4, 0);
    send<&restless<Wish, InSerialize>::go>(all[1]);
    co_await quiescence();
  };
  for (const options& settings : {serializing(threads(2)), seeded(3, 1)}) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(imbrex::run(settings, main), 1);
    const std::string output = ::testing::internal::GetCapturedStderr();
    const std::string where = InSerialize ? "serialize of restless" : "the default constructor of restless";
    EXPECT_NE(output.find(where), std::string::npos) << output;
    EXPECT_NE(output.find("(1), which migrates, threw " + text), std::string::npos) << output;
  }
}

TEST(migration_alone, may_not_be_asked_for_while_it_happens) {
  expect_refusal<wish::migrate, false>("migrate_to: ");
  expect_refusal<wish::migrate, true>("migrate_to: ");
  expect_refusal<wish::end, false>("destroy: ");
  expect_refusal<wish::end, true>("destroy: ");
  expect_refusal<wish::reduce, false>("all_reduce: ");
  expect_refusal<wish::reduce, true>("all_reduce: ");
}

/// Requests that are invalid for an element that ends.
class undying : public chare<undying> {
 public:
  undying() = default;
  ~undying() {
    migrate_to(0);
    destroy();
  }
  void go(int to) { migrate_to(to); }
  void end() { destroy(); }
  void serialize(auto&) {}
};

TEST_P(migration, and_destruction_do_nothing_in_a_destructor) {
  run([]() -> task<> {
    const auto all = make_array<undying>(6);
    for (int i = 0; i < 3; ++i) send<&undying::go>(all[i], i % num_pes());
    co_await quiescence();
    for (int i = 2; i < 5; ++i) send<&undying::end>(all[i]);
    co_await quiescence();
  });
}

}  // namespace imbrex::migration_test
