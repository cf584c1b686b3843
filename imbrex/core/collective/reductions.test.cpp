// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::reductions_test {

class reductions : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, reductions, ::testing::ValuesIn(machines()), name_of_machine);

struct extent {
  double low = 0;
  double high = 0;
  bool operator==(const extent&) const = default;
};
struct join_extents {
  extent operator()(const extent& a, const extent& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

double noise(int i, int round) {
  random dice(static_cast<std::uint64_t>(i) * 1000 + static_cast<std::uint64_t>(round));
  return std::bit_cast<double>((dice() >> 12U) | 0x3ff0000000000000U) * (i % 2 == 0 ? 1e12 : -1e-3);
}

/// A move-only type, such as an owner of a resource.
struct only_moved {
  int number = 0;

  only_moved() = default;
  explicit only_moved(int n) : number(n) {}
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&&) = default;
  void serialize(auto& ar) { ar(number); }
};

class cell : public chare<cell> {
 public:
  only_moved owned() { return only_moved(static_cast<int>(where()[0])); }
  int number() const { return where()[0]; }
  long long one_more() const { return where()[0] + 1; }
  bool is_even() const { return where()[0] % 2 == 0; }
  std::vector<int> row() const { return {where()[0], 1, -where()[0]}; }
  std::array<double, 2> pair() const { return {where()[0] * 0.5, 2.0}; }
  std::vector<std::vector<int>> table() const { return {{where()[0]}, {1, 2}}; }
  extent range() const { return {where()[0] * -1.0, where()[0] * 2.0}; }
  std::string name() const { return std::string(static_cast<std::size_t>(where()[0]), 'n'); }
  double noise_of(int round) const { return noise(where()[0], round); }
  task<double> noise_later(int round) {
    co_await sleep_for(std::chrono::nanoseconds((where()[0] * 7919) % 13));
    const double total = co_await all_reduce(noise(where()[0], round), sum);
    co_return total;
  }
  task<int> several_at_once() {
    auto a = all_reduce(where()[0], sum);
    auto b = all_reduce(std::vector<int>{where()[0], 1}, max);
    auto c = all_reduce(where()[0] == 1, any);
    auto d = all_reduce(where()[0], gather);
    const auto gathered = co_await d;
    const bool has_one = co_await c;
    const auto biggest = co_await b;
    const int total = co_await a;
    int good = 0;
    const int n = static_cast<int>(gathered.size());
    good += total == n * (n - 1) / 2 ? 1 : 0;
    good += biggest == std::vector<int>{n - 1, 1} ? 1 : 0;
    good += has_one == (n > 1) ? 1 : 0;
    for (int i = 0; i < n; ++i) good += gathered[static_cast<std::size_t>(i)] == i ? 0 : -100;
    co_return good;
  }
  task<int> over(section<cell> some) {
    auto first = all_reduce(some, 1, sum);
    auto second = all_reduce(some, where()[0], gather);
    const int count = co_await first;
    const auto who = co_await second;
    co_return count * 100 + who.front();
  }
  task<int> count_all() {
    const int count = co_await all_reduce(1, sum);
    co_return count;
  }
  void finish() { destroy(); }
  void serialize(auto&) {}
};

TEST_P(reductions, of_scalars_by_each_operation) {
  run([]() -> task<> {
    auto all = make_array<cell>({7});
    const int total = co_await all.reduce<&cell::number>(sum);
    EXPECT_EQ(total, 21);
    const auto factorial = co_await all.reduce<&cell::one_more>(product);
    EXPECT_EQ(factorial, 5040);
    const int least = co_await all.reduce<&cell::number>(imbrex::min);
    EXPECT_EQ(least, 0);
    const int most = co_await all.reduce<&cell::number>(imbrex::max);
    EXPECT_EQ(most, 6);
    const bool all_even = co_await all.reduce<&cell::is_even>(imbrex::all);
    EXPECT_FALSE(all_even);
    const bool any_even = co_await all.reduce<&cell::is_even>(any);
    EXPECT_TRUE(any_even);
    const bool parity = co_await all.reduce<&cell::is_even>(odd);
    EXPECT_FALSE(parity);
    const int bits_or = co_await all.reduce<&cell::number>(bit_or);
    EXPECT_EQ(bits_or, 7);
    const int bits_xor = co_await all.reduce<&cell::number>(bit_xor);
    EXPECT_EQ(bits_xor, 7);
    const int bits_and = co_await all.reduce<&cell::number>(bit_and);
    EXPECT_EQ(bits_and, 0);
  });
}

TEST_P(reductions, of_vectors_arrays_and_types_of_the_users) {
  run([]() -> task<> {
    auto all = make_array<cell>({7});
    const auto row = co_await all.reduce<&cell::row>(sum);
    EXPECT_EQ(row, (std::vector<int>{21, 7, -21}));
    const auto pair = co_await all.reduce<&cell::pair>(product);
    EXPECT_EQ(pair, (std::array<double, 2>{0, 128}));
    const auto table = co_await all.reduce<&cell::table>(imbrex::max);
    EXPECT_EQ(table, (std::vector<std::vector<int>>{{6}, {1, 2}}));
    const auto range = co_await all.reduce<&cell::range>(join_extents{});
    EXPECT_EQ(range, (extent{-6, 12}));
    const auto longest = co_await all.reduce<&cell::name>(
        [](const std::string& a, const std::string& b) { return a.size() < b.size() ? b : a; });
    EXPECT_EQ(longest, "nnnnnn");
    const auto names = co_await all.reduce<&cell::name>(sum);
    EXPECT_EQ(names.size(), 21U);
  });
}

TEST_P(reductions, gather_by_index) {
  run([]() -> task<> {
    auto all = make_array<cell>(dense(11).placed(round_robin));
    const auto numbers = co_await all.reduce<&cell::number>(gather);
    EXPECT_EQ(numbers, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    const auto rows = co_await all.section({index<1>(7), index<1>(3)}).reduce<&cell::row>(gather);
    EXPECT_EQ(rows, (std::vector<std::vector<int>>{{3, 1, -3}, {7, 1, -7}}));
  });
}

TEST_P(reductions, of_what_can_only_be_moved) {
  run([]() -> task<> {
    auto all = make_array<cell>({5});
    const auto gathered = co_await all.reduce<&cell::owned>(gather);
    EXPECT_EQ(gathered.size(), 5U);
    for (std::size_t i = 0; i < gathered.size(); ++i) EXPECT_EQ(gathered[i].number, static_cast<int>(i));
    const auto most = co_await all.reduce<&cell::owned>(
        [](const only_moved& a, const only_moved& b) { return only_moved(a.number + b.number); });
    EXPECT_EQ(most.number, 10);
  });
}

TEST_P(reductions, several_are_in_flight) {
  run([]() -> task<> {
    auto all = make_array<cell>({6});
    auto a = all.reduce<&cell::number>(sum);
    auto b = all.reduce<&cell::several_at_once>(imbrex::min);
    auto c = all.reduce<&cell::number>(imbrex::max);
    const int most = co_await c;
    EXPECT_EQ(most, 5);
    const int good = co_await b;
    EXPECT_EQ(good, 3);
    const int total = co_await a;
    EXPECT_EQ(total, 15);
  });
}

TEST_P(reductions, over_fewer_elements_than_pes) {
  run([]() -> task<> {
    auto single = make_array<cell>({1});
    const int good = co_await single.reduce<&cell::several_at_once>(sum);
    EXPECT_EQ(good, 3);
    auto sparse_ones = make_array<cell>(sparse(100));
    sparse_ones.insert(99);
    co_await quiescence();
    const int alone = co_await sparse_ones.reduce<&cell::count_all>(sum);
    EXPECT_EQ(alone, 1);
    sparse_ones.insert(0);
    sparse_ones.insert(50);
    co_await quiescence();
    const int three = co_await sparse_ones.reduce<&cell::count_all>(sum);
    EXPECT_EQ(three, 9);
    sparse_ones[99].destroy();
    co_await quiescence();
    const int two = co_await sparse_ones.reduce<&cell::count_all>(sum);
    EXPECT_EQ(two, 4);
    send<&cell::finish>(sparse_ones);
    sparse_ones.insert(7);
    co_await quiescence();
  });
}

TEST_P(reductions, over_a_section_from_inside) {
  run([]() -> task<> {
    auto all = make_array<cell>({9});
    auto some = all.section({index<1>(8), index<1>(2), index<1>(4)});
    for (int i = 0; i < 3; ++i) {
      const int result = co_await some.reduce<&cell::over>(imbrex::min, some);
      EXPECT_EQ(result, 302);
    }
  });
}

/// The sum in a round-robin placement: by index within a PE, then by PE, bracketed by a tree of PEs. Empty if
/// there are no elements.
class expected_sum {
 public:
  expected_sum(int elements, int round, int root) : elements_(elements), round_(round), root_(root) {}

  std::optional<double> of_subtree(int pe) const {
    auto pes = place_of(pe).children;
    pes.push_back(pe);
    std::ranges::sort(pes);
    std::optional<double> total;
    for (const int p : pes)
      if (const auto part = p == pe ? of_pe(p) : of_subtree(p)) total = total ? *total + *part : *part;
    return total;
  }

 private:
  detail::tree_place place_of(int pe) const {
    return detail::place_in_tree(pe, root_, num_pes(), detail::processor::here().run().host_starts());
  }
  std::optional<double> of_pe(int pe) const {
    std::optional<double> total;
    for (int i = pe; i < elements_; i += num_pes())
      total = total ? *total + noise(i, round_) : noise(i, round_);
    return total;
  }

  int elements_;
  int round_;
  int root_;
};

TEST_P(reductions, of_floating_point_numbers_repeat_bit_for_bit) {
  run([]() -> task<> {
    constexpr int elements = 37;
    auto all = make_array<cell>(dense(elements).placed(round_robin));
    const int root = detail::root_of(detail::processor::here().number_of(all.collection()), num_pes());
    for (int round = 0; round < 5; ++round) {
      const auto expected =
          std::bit_cast<std::uint64_t>(*expected_sum(elements, round, root).of_subtree(root));
      const double total = co_await all.reduce<&cell::noise_of>(sum, round);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(total), expected);
      const double from_inside = co_await all.reduce<&cell::noise_later>(imbrex::max, round);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(from_inside), expected);
    }
  });
}

/// Cannot be serialised if its number is 13.
struct brittle {
  int number = 0;

  void serialize(writer& out) {
    if (number == 13) throw std::range_error("13 cannot be written");
    out(number);
  }
  void serialize(reader& in) { in(number); }
  friend brittle operator+(const brittle& a, const brittle& b) { return {a.number + b.number}; }
};

class tester : public chare<tester> {
 public:
  brittle own() const { return {where()[0]}; }
  task<brittle> own_later() const {
    co_await sleep_for(std::chrono::nanoseconds(1));
    co_return brittle{where()[0]};
  }
  task<int> share() {
    const brittle all = co_await all_reduce(brittle{where()[0]}, sum);
    co_return all.number;
  }
  task<std::string> share_in(section<tester> some) {
    std::string text;
    try {
      co_await all_reduce(some, brittle{where()[0]}, sum);
    } catch (const std::exception& e) {
      caught_ = std::current_exception();
      text = e.what();
    }
    co_return text;
  }

 private:
  /// Kept until the end: several PEs catch the same exception, and ThreadSanitizer does not see the reference
  /// counting of libstdc++.
  std::exception_ptr caught_;
};

TEST_P(reductions, and_calls_fail_by_results_that_cannot_be_written) {
  const bool always_written = GetParam().processes > 1;
  run([always_written]() -> task<> {
    auto all = make_array<tester>({14});
    std::vector<std::string> thrown;
    thrown.push_back(co_await awaited_error_of(all.reduce<&tester::own>(gather)));
    thrown.push_back(co_await awaited_error_of(all.reduce<&tester::own_later>(gather)));
    thrown.push_back(co_await awaited_error_of(all[13].call<&tester::own_later>()));
    thrown.push_back(co_await awaited_error_of(all[13].call<&tester::own>()));
    for (const auto& text : thrown)
      EXPECT_TRUE(text == "13 cannot be written" || (text.empty() && !always_written)) << text;
    auto alone = make_array<tester>(dense(14).placed(
        [](const index<1>& i, const index<1>&, int pes) { return i[0] == 13 ? pes - 1 : 0; }));
    const std::string shared = co_await awaited_error_of(alone.reduce<&tester::share>(min));
    EXPECT_TRUE(shared == "13 cannot be written" || shared.empty()) << shared;  // depends on how near the
                                                                                // root is
    const auto some = all.section({index<1>(13), index<1>(0), index<1>(6)});
    const auto seen = co_await some.reduce<&tester::share_in>(gather, some);
    for (const auto& text : seen) {
      EXPECT_EQ(text, seen.front());
      EXPECT_TRUE(text == "13 cannot be written" || (text.empty() && !always_written)) << text;
    }
  });
}

/// A result for which all PEs must do work; only the root can send it.
struct shared_task {
  int number = 0;
  void serialize(auto& ar) { ar(number); }
  friend shared_task operator+(const shared_task& a, const shared_task& b) { return {a.number + b.number}; }
};

}  // namespace imbrex::reductions_test

namespace imbrex::detail {

struct task_of_all final : shared_result {
  task_of_all() { is_object = true; }
  static inline message_type type_record = runtime_message_type<task_of_all>();
  void serialize(auto&) {}
  shared_result& copy() const override { throw std::range_error("the task cannot be copied"); }
  const void* content() const override { return nullptr; }
  bool is_shared_work() const override { return true; }
  void give(reply_target& to) const override {
    reductions_test::shared_task none;
    to.accept(0, &none);
  }
};

template <class Op, class Key>
  requires(std::is_same_v<Op, sum_operation>)
struct reduction<reductions_test::shared_task, Op, Key> {
  static constexpr bool needs_keys = false;
  using partial = reductions_test::shared_task;
  using result = reductions_test::shared_task;

  static void add(std::optional<partial>& into, const Key&, partial&& value) {
    merge(into, std::move(value));
  }
  static void merge(std::optional<partial>& into, partial&& other) { into = into ? *into + other : other; }
  static message* divide(partial&) { return &make_message<task_of_all>(); }
  static result finish(partial&& all) { return all; }
};

}  // namespace imbrex::detail

namespace imbrex::reductions_test {

class worker : public chare<worker> {
 public:
  task<std::string> share() {
    std::string text;
    try {
      co_await all_reduce(shared_task{1}, sum);
    } catch (const std::exception& e) {
      caught_ = std::current_exception();
      text = e.what();
    }
    co_return text;
  }

 private:
  std::exception_ptr caught_;  ///< kept for the reason given in `tester`
};

TEST_P(reductions, fail_everywhere_by_work_that_cannot_be_given_to_all) {
  if (GetParam().processes > 1) GTEST_SKIP() << "it stays in its process";
  run([]() -> task<> {
    auto all = make_array<worker>({14});
    for (int round = 0; round < 2; ++round)
      for (const std::string& text : co_await all.reduce<&worker::share>(gather))
        EXPECT_TRUE(text == "the task cannot be copied" || (text.empty() && num_pes() == 1)) << text;
  });
}

/// Contributes, then leaves or ends at once.
class hasty : public chare<hasty> {
 public:
  void contribute_and_go(int to) {
    [[maybe_unused]] const auto dropped = all_reduce(1, sum);
    migrate_to(to);
  }
  task<int> contribute_and_follow(bool goes) {
    const int total = co_await all_reduce(1, sum);
    if (goes) migrate_to((pe() + 1 + where()[0]) % num_pes());
    co_return total;
  }
  void contribute_and_end() {
    [[maybe_unused]] const auto dropped = all_reduce(1, sum);
    destroy();
  }
  void serialize(auto&) {}
};

/// The PE's notification that it has no elements overtakes the contribution of its last element.
task<> hurry(std::uint64_t seed) {
  const int n = 1 + static_cast<int>(seed % 5);
  const auto all = make_array<hasty>(n);
  for (int step = 0; step < 12; ++step) {
    auto departures = all.call<&hasty::contribute_and_go>((step + static_cast<int>(seed)) % num_pes());
    auto totals = all.reduce<&hasty::contribute_and_follow>(max, seed % 2 == 0);
    co_await departures;
    const int total = co_await totals;
    EXPECT_EQ(total, n);
  }
  const auto others = make_array<hasty>(n + 2);
  auto end = others[0].call<&hasty::contribute_and_end>();
  auto totals = others.call<&hasty::contribute_and_go>(0);
  co_await end;
  co_await totals;
  co_await quiescence();
}

TEST(hasty_reductions, end_in_any_deterministic_order) {
  for (std::uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(seeded(static_cast<int>(seed % 4 + 1), seed), [seed] { return hurry(seed); }), 0);
  }
}

TEST(hasty_reductions, end_on_shuffled_threads) {
  for (std::uint64_t seed = 1; seed <= 40 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const options settings{.pes = static_cast<int>(seed % 4 + 1), .shuffle = seed};
    EXPECT_EQ(run(settings, [seed] { return hurry(seed); }), 0);
  }
}

struct concatenation {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};

/// A member of sections that migrates.
class rover : public chare<rover> {
 public:
  task<std::string> join(section<rover> some, int round) {
    const std::string text = std::to_string(where()[0]) + ";";
    auto first = all_reduce(some, text, concatenation{});
    auto second = all_reduce(some, round + where()[0], imbrex::max);
    const int most = co_await second;
    const std::string all = co_await first;
    co_return all + std::to_string(most);
  }
  /// Contributes, and leaves before the other members have contributed.
  task<> contribute_and_leave(section<rover> some, int to) {
    {
      const auto first = all_reduce(some, std::to_string(where()[0]) + ";", concatenation{});
      const auto second = all_reduce(some, where()[0], imbrex::max);
    }
    migrate_to(to);
    co_await balance_point<&rover::moved>();
  }
  task<> moved() { co_return; }
  task<std::string> refused_by(section<rover> some) {
    const std::string text = co_await awaited_error_of([&] { return all_reduce(some, 1, sum); });
    co_return text;
  }
  void serialize(auto&) {}
};

/// The expected result of `join`: by home, then by index.
std::string joined(const std::vector<index<1>>& members, int round) {
  std::string text;
  int most = 0;
  for (int home = 0; home < num_pes(); ++home)
    for (const auto& i : members)
      if (i[0] % num_pes() == home) text += std::to_string(i[0]) + ";";
  for (const auto& i : members) most = std::max(most, round + i[0]);
  return text + std::to_string(most);
}

TEST_P(reductions, over_sections_do_not_depend_on_where_members_are) {
  run([]() -> task<> {
    random dice(11);
    for (const int elements : {1, 2, 7, 40}) {
      const auto all = make_array<rover>(dense(elements).placed(round_robin));
      for (int round = 0; round < 4; ++round) {
        std::vector<index<1>> members;
        for (int i = 0; i < elements; ++i)
          if (i == elements / 2 || dice() % 3 == 0) members.push_back(index<1>(i));
        const auto some = all.section(members);
        const auto everybody = all.section(full_extent);
        const auto found = co_await some.reduce<&rover::join>(gather, some, round);
        EXPECT_EQ(found, std::vector<std::string>(members.size(), joined(members, round)));
        const index<1> who = members[dice() % members.size()];
        const int to = static_cast<int>(dice() % static_cast<std::uint64_t>(num_pes()));
        auto left = all[who].call<&rover::contribute_and_leave>(some, to);
        std::vector<index<1>> others = members;
        std::erase(others, who);
        auto again = all.section(others).reduce<&rover::join>(gather, some, 0);
        co_await left;
        if (!others.empty())
          EXPECT_EQ((co_await again), std::vector<std::string>(others.size(), joined(members, 0)));
        else
          EXPECT_NE(co_await awaited_error_of(std::move(again)), "");
        EXPECT_EQ((co_await everybody.reduce<&rover::join>(gather, everybody, round)).size(),
                  static_cast<std::size_t>(elements));
      }
    }
  });
}

TEST_P(reductions, over_sections_refuse_those_who_are_no_members) {
  run([]() -> task<> {
    const auto all = make_array<rover>(12);
    const auto others = make_array<rover>(12);
    for (const auto& some : {all.section({index<1>(3), index<1>(9)}), all.section(std::pair{0, 0})})
      EXPECT_EQ((co_await all[7].call<&rover::refused_by>(some)), "rover(7) is not a member of that section");
    EXPECT_EQ((co_await others[3].call<&rover::refused_by>(all.section({index<1>(3)}))),
              "rover(3) is not a member of that section, which is of another array");
  });
}

/// Ends the array when one member has its result, while the results of others are in flight.
task<> end_early(int members) {
  const auto all = make_array<rover>(members);
  const auto some = all.section(full_extent);
  for (int i = 1; i < members; ++i) send<&rover::join>(all[i], some, 0);
  const std::string joined_first = co_await all[0].call<&rover::join>(some, 0);
  EXPECT_NE(joined_first, "");
  co_await all.destroy();
  co_await quiescence();
}

TEST(section_reductions, may_be_under_way_when_their_array_ends) {
  for (std::uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(seeded(static_cast<int>(seed % 5 + 2), seed), [] { return end_early(23); }), 0);
  }
}

}  // namespace imbrex::reductions_test
