// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::collectives_test {

class collectives : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, collectives, ::testing::ValuesIn(machines()), name_of_machine);

/// Concatenation of texts, which is associative but does not commute.
struct join_text {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};

/// The value that member `from` gives to `to` in a round; a pure function.
int value_of(int from, int to, int round) { return from * 1'000'000 + to * 1'000 + round; }

/// The members to which `from` gives values in a round of the sparse exchange: any number, often none.
std::vector<int> partners(int from, int members, int round) {
  std::mt19937 random(static_cast<unsigned>(from * 7919 + round));
  std::vector<int> to;
  const unsigned count = random() % 5;
  for (unsigned i = 0; i < count; ++i)
    to.push_back(static_cast<int>(random() % static_cast<unsigned>(members)));
  std::ranges::sort(to);
  to.erase(std::ranges::unique(to).begin(), to.end());
  return to;
}

class member : public chare<member> {
 public:
  member() = default;
  explicit member(int members) : members_(members) {}

  /// Returns the number of wrong results; the member moves after each round if `moves`.
  task<int> exchanges(int rounds, bool moves) {
    for (; round_ < rounds; ++round_) {
      std::map<index<1>, int> values;
      for (const int to : partners(where()[0], members_, round_))
        values[to] = value_of(where()[0], to, round_);
      const auto received = co_await imbrex::exchange(*this, std::move(values));
      std::map<index<1>, int> expected;
      for (int from = 0; from < members_; ++from)
        if (std::ranges::binary_search(partners(from, members_, round_), where()[0]))
          expected[from] = value_of(from, where()[0], round_);
      wrong_ += received == expected ? 0 : 1;
      if (!moves) continue;
      migrate_to((where()[0] + round_ * 3) % num_pes());
      ++round_;
      co_await balance_point<&member::exchanges>(rounds, moves);
      --round_;
    }
    co_return wrong_;
  }

  task<int> all_to_alls(int rounds) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> values;
      for (int to = 0; to < members_; ++to) values.push_back(value_of(where()[0], to, round));
      const auto received = co_await imbrex::all_to_all(*this, std::move(values));
      std::vector<int> expected;
      for (int from = 0; from < members_; ++from) expected.push_back(value_of(from, where()[0], round));
      wrong += received == expected ? 0 : 1;
    }
    co_return wrong;
  }

  /// All-to-all between members of which some move after each round.
  task<int> all_to_alls_and_moves(int rounds) {
    for (; round_ < rounds; ++round_) {
      std::vector<std::string> values;
      for (int to = 0; to < members_; ++to)
        values.push_back(std::to_string(value_of(where()[0], to, round_)));
      const auto received = co_await imbrex::all_to_all(*this, std::move(values));
      std::vector<std::string> expected;
      for (int from = 0; from < members_; ++from)
        expected.push_back(std::to_string(value_of(from, where()[0], round_)));
      wrong_ += received == expected ? 0 : 1;
      if ((where()[0] + round_) % 3 == 0) continue;
      migrate_to((where()[0] * 5 + round_) % num_pes());
      ++round_;
      co_await balance_point<&member::all_to_alls_and_moves>(rounds);
      --round_;
    }
    co_return wrong_;
  }

  /// Each member gives two values to the next member, and two to itself.
  task<std::string> pairs() {
    const int next = (where()[0] + 1) % members_;
    using pair = std::pair<index<1>, int>;
    const std::vector<pair> received = co_await imbrex::exchange(
        *this, std::vector<pair>{{next, 1}, {where(), 10}, {next, 2}, {where(), 20}});
    std::string text;
    for (const auto& [from, value] : received)
      text +=
          std::to_string((from[0] - where()[0] + members_) % members_) + ":" + std::to_string(value) + " ";
    co_return text;
  }

  task<int> scatters(int rounds) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      const int root = (round * 5) % members_;
      std::vector<std::string> values;
      for (int to = 0; to < members_ && root == where()[0]; ++to)
        values.push_back(std::to_string(value_of(root, to, round)));
      const auto received = co_await imbrex::scatter(*this, index<1>(root), std::move(values));
      wrong += received == std::to_string(value_of(root, where()[0], round)) ? 0 : 1;
    }
    co_return wrong;
  }

  task<int> reduce_scatters(int rounds) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      std::vector<long> values;
      for (int to = 0; to < members_; ++to) values.push_back(value_of(where()[0], to, round));
      const long received = co_await imbrex::reduce_scatter(*this, std::move(values), imbrex::sum);
      long expected = 0;
      for (int from = 0; from < members_; ++from) expected += value_of(from, where()[0], round);
      wrong += received == expected ? 0 : 1;
    }
    co_return wrong;
  }

  task<int> scans(int rounds) {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto text_of = [&](int m) { return std::to_string(m) + "." + std::to_string(round) + " "; };
      std::string before;
      for (int m = 0; m < where()[0]; ++m) before += text_of(m);
      const auto own = text_of(where()[0]);
      const auto up_to = co_await imbrex::scan(*this, own, join_text{});
      const auto until = co_await imbrex::exclusive_scan(*this, own, join_text{});
      wrong += up_to == before + own ? 0 : 1;
      wrong += until == (where()[0] == 0 ? std::nullopt : std::optional(before)) ? 0 : 1;
    }
    co_return wrong;
  }

  task<std::string> too_few() {
    const std::string text = co_await awaited_error_of<error>(
        [&] { return imbrex::all_to_all(*this, std::vector<int>(static_cast<std::size_t>(members_ + 1))); });
    co_return text;
  }
  task<std::string> nobody() {
    const std::string text = co_await awaited_error_of<error>(
        [&] { return imbrex::exchange(*this, std::map<index<1>, int>{{index<1>(members_), 1}}); });
    co_return text;
  }

  /// Members with an odd index are already destroyed; a value for one makes all results exceptions.
  task<int> to_the_dead() {
    std::map<index<1>, int> values;
    if (where()[0] == 0) values[1] = 5;
    try {
      co_await imbrex::exchange(*this, std::move(values));
    } catch (const std::exception& e) {
      co_return std::string(e.what()).find("member(1) has been destroyed") != std::string::npos ? 1 : 0;
    }
    co_return 0;
  }

  void serialize(auto& ar) { ar(members_, round_, wrong_); }

 private:
  int members_ = 0;
  int round_ = 0;
  int wrong_ = 0;
};

TEST_P(collectives, exchange_among_members_that_move) {
  run([]() -> task<> {
    for (const int members : {1, 2, 7, 23}) {
      auto all = make_array<member>(dense(members).placed(round_robin), members);
      EXPECT_EQ((co_await all.reduce<&member::exchanges>(sum, 6, true)), 0);
    }
  });
}

TEST_P(collectives, exchange_among_members_that_stay) {
  run([]() -> task<> {
    auto all = make_array<member>({40}, 40);
    EXPECT_EQ((co_await all.reduce<&member::exchanges>(sum, 8, false)), 0);
  });
}

TEST_P(collectives, give_a_value_from_each_to_each) {
  run([]() -> task<> {
    for (const int members : {1, 5, 32}) {
      auto blocks = make_array<member>({members}, members);
      EXPECT_EQ((co_await blocks.reduce<&member::all_to_alls>(sum, 3)), 0);
      auto dealt = make_array<member>(dense(members).placed(round_robin), members);
      EXPECT_EQ((co_await dealt.reduce<&member::all_to_alls>(sum, 2)), 0);
    }
  });
}

TEST_P(collectives, give_a_value_from_each_to_each_though_they_move) {
  run([]() -> task<> {
    for (const int members : {1, 6, 19}) {
      auto all = make_array<member>({members}, members);
      EXPECT_EQ((co_await all.reduce<&member::all_to_alls_and_moves>(sum, 5)), 0);
    }
  });
}

TEST_P(collectives, exchange_several_values_with_one_member) {
  run([]() -> task<> {
    auto all = make_array<member>({9}, 9);
    const auto texts = co_await all.reduce<&member::pairs>(gather);
    EXPECT_EQ(texts.at(0), "0:10 0:20 8:1 8:2 ");
    EXPECT_EQ(texts.at(8), "8:1 8:2 0:10 0:20 ");
  });
}

TEST_P(collectives, scatter_and_reduce_scatter) {
  run([]() -> task<> {
    for (const int members : {1, 3, 17}) {
      auto all = make_array<member>(dense(members).placed(round_robin), members);
      EXPECT_EQ((co_await all.reduce<&member::scatters>(sum, 4)), 0);
      EXPECT_EQ((co_await all.reduce<&member::reduce_scatters>(sum, 3)), 0);
    }
  });
}

TEST_P(collectives, scan_in_the_order_of_indices) {
  run([]() -> task<> {
    for (const int members : {1, 4, 29}) {
      auto blocks = make_array<member>({members}, members);
      EXPECT_EQ((co_await blocks.reduce<&member::scans>(sum, 2)), 0);
      auto dealt = make_array<member>(dense(members).placed(round_robin), members);
      EXPECT_EQ((co_await dealt.reduce<&member::scans>(sum, 2)), 0);
    }
  });
}

TEST_P(collectives, work_in_groups) {
  run([]() -> task<> {
    auto all = make_group<member>(num_pes());
    EXPECT_EQ((co_await all.members().reduce<&member::all_to_alls>(sum, 3)), 0);
    EXPECT_EQ((co_await all.members().reduce<&member::scans>(sum, 3)), 0);
  });
}

TEST_P(collectives, say_what_was_given_wrongly) {
  run([]() -> task<> {
    auto all = make_array<member>({3}, 3);
    EXPECT_EQ(
        (co_await all[2].call<&member::too_few>()),
        "all_to_all: member(2) gives 4 values, and its array has 3 members: give one value for each, in the "
        "order of their indices");
    EXPECT_EQ((co_await all[1].call<&member::nobody>()),
              "exchange: member(1) names the member 3, and its array has the shape 3");
  });
}

TEST_P(collectives, that_number_members_are_refused_in_a_sparse_array) {
  run([]() -> task<> {
    auto all = make_array<member>(sparse(index<1>(10)));
    all.insert(index<1>(4), 9);
    EXPECT_EQ(
        (co_await all[4].call<&member::too_few>()),
        "all_to_all: the array of member(4) began empty, so its members have no numbers: use exchange, which "
        "names them by their indices");
  });
}

TEST_P(collectives, fail_where_a_member_is_no_more) {
  run([]() -> task<> {
    auto all = make_array<member>({6}, 6);
    for (int i = 1; i < 6; i += 2) all[i].destroy();
    co_await quiescence();
    EXPECT_EQ((co_await all.reduce<&member::to_the_dead>(sum)), 3);
  });
}

}  // namespace imbrex::collectives_test
