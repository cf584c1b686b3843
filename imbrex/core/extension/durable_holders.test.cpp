// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/durable.test.hpp>

#include <map>
#include <memory>
#include <optional>

#include <imbrex/core/array/section.hpp>

namespace imbrex::durable_holders_test {

using durable_test::memory;
using durable_test::restore_all;
using durable_test::run_both;
using durable_test::save_all;

class durable_holders : public ::testing::TestWithParam<durable_test::two_runs> {
 protected:
  void SetUp() override { memory::of_test().clear(); }
};
INSTANTIATE_TEST_SUITE_P(on, durable_holders, ::testing::ValuesIn(durable_test::pairs_of_machines()),
                         durable_test::name_of_pair);

/// A chare of a group, which each run makes anew.
class table : public chare<table> {
 public:
  int where_it_is() const { return pe(); }
};

class worker : public chare<worker> {
 public:
  worker() = default;
  explicit worker(int number) : number_(number) {}
  int number() const { return number_; }
  void serialize(auto& ar) { ar(number_); }

 private:
  int number_ = 0;
};

class town : public chare<town, std::string> {
 public:
  town() = default;
  explicit town(int size) : size_(size) {}
  int size() const { return size_; }
  void serialize(auto& ar) { ar(size_); }

 private:
  int size_ = 0;
};

/// Has proxies of all kinds in its members.
class holder : public chare<holder> {
 public:
  void take(array<town> towns, group<table> tables, std::vector<element<worker>> workers,
            section<holder> others) {
    towns_ = towns;
    tables_ = tables;
    for (const auto& each : workers) workers_.push_back(std::make_unique<element<worker>>(each));
    others_ = others;
    next_ = peers()[(where()[0] + 1) % peers().shape()[0]].with_priority(-3);
    capitals_["a"] = towns[std::string("b")].coalesced();
  }
  int index() const { return where()[0]; }
  /// The sum of answers of all that the members name.
  task<int> ask() {
    const int next = co_await next_->call<&holder::index>();
    EXPECT_EQ(next_->priority(), -3);
    const int size = co_await capitals_["a"].call<&town::size>();
    EXPECT_TRUE(capitals_["a"].is_coalesced());
    const int towns = co_await towns_.reduce<&town::size>(sum);
    EXPECT_EQ(tables_.size(), num_pes());
    const int tables = co_await tables_.reduce<&table::where_it_is>(sum);
    EXPECT_EQ(tables, num_pes() * (num_pes() - 1) / 2);
    const int others = co_await others_.reduce<&holder::index>(sum);
    int workers = 0;
    for (const auto& each : workers_) {
      const int number = co_await each->call<&worker::number>();
      workers += number;
    }
    EXPECT_EQ(nobody_, element<worker>());
    co_return next + 100 * size + towns + workers + 1000 * others;
  }
  void serialize(auto& ar) { ar(next_, towns_, tables_, workers_, others_, capitals_, nobody_); }

 private:
  std::optional<element<holder>> next_;
  array<town> towns_;
  group<table> tables_;
  std::vector<std::unique_ptr<element<worker>>> workers_;
  section<holder> others_;
  std::map<std::string, element<town>> capitals_;
  element<worker> nobody_;
};

constexpr int holders = 5;
constexpr int workers = 9;

int right_answer(int i) { return (i + 1) % holders + 100 * 20 + 10 + 20 + 1 * 2 * 3 * 6 + 1000 * (1 + 4); }

task<> check_answers(array<holder> all) {
  for (int i = 0; i < holders; ++i) {
    const int answer = co_await all[i].call<&holder::ask>();
    EXPECT_EQ(answer, right_answer(i)) << i;
  }
}

// Proxies in members: charm#2643.
TEST_P(durable_holders, proxies_name_the_same_chares) {
  memory::of_test().knows<holder>();
  memory::of_test().knows<town>();
  run_both(
      GetParam(),
      []() -> task<> {
        make_group<table>();
        const auto towns = make_array<town>(keyed<std::string>().named("towns"));
        towns.insert("a", 10);
        towns.insert("b", 20);
        const auto tables = make_group<table>();
        std::vector<element<worker>> hired;
        for (int i = 1; i <= workers; ++i) hired.push_back(make_chare<worker>(i));
        hired.pop_back();
        const auto all = make_array<holder>(dense(holders).named("holders"));
        co_await quiescence();
        // All but the last are held; one is held twice.
        send<&holder::take>(all, towns, tables, hired, all.section({4, 1}));
        co_await quiescence();
        co_await check_answers(all);
        co_await save_all();
      },
      []() -> task<> {
        const auto early = make_chare<worker>(77);
        make_group<table>();
        const auto numbers = co_await restore_all();
        make_group<table>();
        const auto all = extension::proxy_of<holder>(numbers.at("holders"));
        co_await check_answers(all);
        const int number = co_await early.call<&worker::number>();
        EXPECT_EQ(number, 77);
        const auto later = make_chare<worker>(78);
        const int other = co_await later.call<&worker::number>();
        EXPECT_EQ(other, 78);
        co_await check_answers(all);
      });
}

struct note {
  std::string text;
  element<worker> from;
};

/// Keeps what it has received and not read.
class reader_of_letters : public chare<reader_of_letters> {
 public:
  mailbox<note> letters;
  mailbox<std::vector<double>> rows;
  channel<std::string> left, right;

  void connect() {
    const int n = peers().shape()[0];
    right.connect<&reader_of_letters::left>(peers()[(where()[0] + 1) % n]);
    left.connect<&reader_of_letters::right>(peers()[(where()[0] + n - 1) % n]);
  }
  void write(int count) {
    for (int i = 0; i < count; ++i) right.send(std::to_string(where()[0]) + "." + std::to_string(sent_++));
  }
  /// Reads so many values of the channel, which must be the next ones.
  task<int> read(int count) {
    const int n = peers().shape()[0];
    int right_ones = 0;
    for (int i = 0; i < count; ++i) {
      const std::string value = co_await left.receive();
      const std::string expected =
          std::to_string((where()[0] + n - 1) % n) + "." + std::to_string(received_++);
      right_ones += value == expected ? 1 : 0;
    }
    co_return right_ones;
  }
  task<int> read_letters() {
    int found = 0;
    for (int reference = 20; reference > 0; --reference) {
      const note one = co_await letters.receive(reference);
      const int number = co_await one.from.call<&worker::number>();
      found += one.text == "letter " + std::to_string(reference) && number == 5 ? 1 : 0;
    }
    const auto row = co_await rows.receive(3);
    found += row == std::vector<double>(100, 0.25) ? 1 : 0;
    co_return found;
  }
  void serialize(auto& ar) { ar(letters, rows, left, right, sent_, received_); }

 private:
  int sent_ = 0;
  int received_ = 0;
};

TEST_P(durable_holders, ports_keep_unread_values_and_their_order) {
  memory::of_test().knows<reader_of_letters>();
  run_both(
      GetParam(),
      []() -> task<> {
        const auto all = make_array<reader_of_letters>(dense(6).named("readers"));
        const auto from = make_chare<worker>(5);
        co_await all.call<&reader_of_letters::connect>();
        co_await all.call<&reader_of_letters::write>(7);
        const int read = co_await all.reduce<&reader_of_letters::read>(sum, 3);
        EXPECT_EQ(read, 6 * 3);
        for (int i = 0; i < 6; ++i) {
          for (int reference = 1; reference <= 20; ++reference)
            send<&reader_of_letters::letters>(all[i], reference,
                                              note{"letter " + std::to_string(reference), from});
          send<&reader_of_letters::rows>(all[i], 3, std::vector<double>(100, 0.25));
        }
        co_await save_all();
      },
      []() -> task<> {
        const auto numbers = co_await restore_all();
        const auto all = extension::proxy_of<reader_of_letters>(numbers.at("readers"));
        co_await all.call<&reader_of_letters::write>(2);
        const int read = co_await all.reduce<&reader_of_letters::read>(sum, 4 + 2);
        EXPECT_EQ(read, 6 * 6);
        const int letters = co_await all.reduce<&reader_of_letters::read_letters>(sum);
        EXPECT_EQ(letters, 6 * 21);
      });
}

/// Takes part in collectives between two checkpoints.
class member : public chare<member, index<3>> {
 public:
  task<int> meet(int rounds, section<member> few) {
    int all = 0;
    for (int i = 0; i < rounds; ++i) {
      const int one = co_await all_reduce(where()[2] + 1, sum);
      all += one;
      if (where()[0] == 0) {
        const int few_of_them = co_await all_reduce(few, 1, sum);
        all += 1000 * few_of_them;
      }
    }
    rounds_ += rounds;
    co_return all;
  }
  int rounds() const { return rounds_; }
  void serialize(auto& ar) { ar(rounds_); }

 private:
  int rounds_ = 0;
};

TEST_P(durable_holders, counts_of_collectives_begin_anew) {
  memory::of_test().knows<member>();
  const index<3> shape{2, 1, 3};
  const auto front = [](const array<member>& all) { return all.section(0, full_extent, full_extent); };
  // Each of 6 gets 2 * (1 + 2 + 3) a round, and each of 3 gets 3000.
  constexpr int a_round = 6 * 12 + 3 * 3000;
  run_both(
      GetParam(),
      [&]() -> task<> {
        const auto all = make_array<member>(dense(shape).named("members"));
        const int met = co_await all.reduce<&member::meet>(sum, 3, front(all));
        EXPECT_EQ(met, 3 * a_round);
        co_await save_all();
      },
      [&]() -> task<> {
        const auto numbers = co_await restore_all();
        const auto all = extension::proxy_of<member>(numbers.at("members"));
        const int met = co_await all.reduce<&member::meet>(sum, 4, front(all));
        EXPECT_EQ(met, 4 * a_round);
        const int rounds = co_await all.reduce<&member::rounds>(sum);
        EXPECT_EQ(rounds, 6 * 7);
      });
}

/// A chare of a group with a state.
class tally : public chare<tally> {
 public:
  void add(element<tally> to) {
    count_ += 10 + pe();
    to_ = to;
  }
  int count() const { return count_; }
  void serialize(auto& ar) { ar(count_, to_); }

 private:
  int count_ = 0;
  element<tally> to_;
};

TEST_P(durable_holders, chares_of_groups_take_what_others_have_saved) {
  auto& kept = memory::of_test();
  kept.groups.insert(std::string(type_name<tally>()));
  run_both(
      GetParam(),
      []() -> task<> {
        const auto tallies = make_group<tally>();
        co_await tallies.call<&tally::add>(tallies[0]);
        co_await save_all();
      },
      []() -> task<> {
        const auto numbers = co_await restore_all();
        const auto tallies = make_group<tally>();
        co_await tallies.created();
        const auto keepers = make_group<durable_test::keeper>();
        co_await keepers.call<&durable_test::keeper::refill>(numbers, std::string(type_name<tally>()), 0);
        const int all = co_await tallies.reduce<&tally::count>(sum);
        EXPECT_EQ(all, 10 * num_pes());
      });
}

}  // namespace imbrex::durable_holders_test
