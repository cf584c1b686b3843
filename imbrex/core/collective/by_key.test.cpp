// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/collective/key_blocks.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::by_key_test {

class by_key : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, by_key, ::testing::ValuesIn(machines()), name_of_machine);

/// Shows the order and the bracketing in which values are combined.
struct bracket {
  std::string operator()(const std::string& a, const std::string& b) const { return "(" + a + " " + b + ")"; }
};

/// The result that `by_key` promises, computed from its definition: a binary tree over the bits of the keys.
template <class Op, class V>
V tree_value(const std::map<std::uint64_t, V>& values, std::uint64_t first = 0, int level = 63) {
  const auto from = values.lower_bound(first);
  if (std::next(from) == values.end() || std::next(from)->first >> level != first >> level)
    return from->second;
  const std::uint64_t half = first + (std::uint64_t{1} << (level - 1));
  const auto has_keys = [&](std::uint64_t low) {
    const auto at = values.lower_bound(low);
    return at != values.end() && at->first >> (level - 1) == low >> (level - 1);
  };
  if (!has_keys(first)) return tree_value<Op>(values, half, level - 1);
  if (!has_keys(half)) return tree_value<Op>(values, first, level - 1);
  return Op{}(tree_value<Op>(values, first, level - 1), tree_value<Op>(values, half, level - 1));
}

double noise(std::uint64_t key) {
  random dice(key * 1000);
  return std::bit_cast<double>((dice() >> 12U) | 0x3ff0000000000000U) * (key % 2 == 0 ? 1e12 : -1e-3);
}

std::string brackets_of(const std::vector<std::uint64_t>& keys) {
  std::map<std::uint64_t, std::string> values;
  for (const auto k : keys) values[k] = std::to_string(k);
  return tree_value<bracket>(values);
}
std::uint64_t sum_of(const std::vector<std::uint64_t>& keys) {
  std::map<std::uint64_t, double> values;
  for (const auto k : keys) values[k] = noise(k);
  return std::bit_cast<std::uint64_t>(tree_value<sum_operation>(values));
}
std::vector<std::uint64_t> first_keys(int count) {
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < count; ++i) keys.push_back(static_cast<std::uint64_t>(i));
  return keys;
}

TEST(by_key_blocks, combine_in_the_tree_of_the_keys_however_they_are_parted) {
  random dice(7);
  for (int round = 0; round < 300; ++round) {
    std::map<std::uint64_t, std::string> values;
    const std::uint64_t span = 1 + dice() % (round % 3 == 0 ? 1'000'000'000'000 : 60);
    const std::uint64_t count = 1 + dice() % 40;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t key = dice() % span;
      values[key] = std::to_string(key);
    }
    std::vector<detail::key_blocks<std::string>> parts(1 + dice() % 5);
    const bool in_runs = round % 2 == 0;
    std::size_t part = 0;
    for (const auto& [key, text] : values) {
      if (!in_runs || dice() % 8 == 0) part = dice() % parts.size();
      parts[part].add<bracket>(key, std::string(text));
    }
    detail::key_blocks<std::string> all;
    for (auto& p : parts) {
      writer out;
      out(p);
      const auto bytes = out.take();
      detail::key_blocks<std::string> received;
      reader in(bytes);
      in(received);
      all.merge<bracket>(std::move(received));
    }
    EXPECT_EQ(all.finish<bracket>(), tree_value<bracket>(values));
  }
}

TEST(by_key_blocks, are_few_of_consecutive_keys) {
  detail::key_blocks<int> ones;
  for (std::uint64_t key = 1000; key < 100'000; ++key) ones.add<sum_operation>(key, 1);
  EXPECT_LE(ones.size(), 2U * 17U);
  EXPECT_EQ(ones.finish<sum_operation>(), 99'000);
}

class holder : public chare<holder> {
 public:
  std::string text() const { return std::to_string(where()[0]); }
  double value() const { return noise(static_cast<std::uint64_t>(where()[0])); }
  task<std::string> brackets() {
    const std::string all = co_await all_reduce(text(), imbrex::by_key(bracket{}));
    co_return all;
  }
  task<std::uint64_t> sum_of_all() {
    const double all = co_await all_reduce(value(), imbrex::by_key(sum));
    co_return std::bit_cast<std::uint64_t>(all);
  }
  task<std::string> brackets_over(section<holder> some) {
    const std::string all = co_await all_reduce(some, text(), imbrex::by_key(bracket{}));
    co_return all;
  }
  task<> move(int round) {
    random dice(static_cast<std::uint64_t>(where()[0] * 100 + round));
    migrate_to(static_cast<int>(dice() % static_cast<std::uint64_t>(num_pes())));
    co_await balance_point<&holder::moved>();
  }
  task<> moved() { co_return; }
  void finish() { destroy(); }
  void serialize(auto&) {}
};

template <class Elements>
task<> check(Elements all, std::vector<std::uint64_t> keys) {
  const auto expected = brackets_of(keys);
  const std::string answered = co_await all.template reduce<&holder::text>(imbrex::by_key(bracket{}));
  EXPECT_EQ(answered, expected);
  const std::vector<std::string> contributed = co_await all.template reduce<&holder::brackets>(gather);
  EXPECT_EQ(contributed, std::vector<std::string>(keys.size(), expected));
  const double total = co_await all.template reduce<&holder::value>(imbrex::by_key(sum));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(total), sum_of(keys));
  const std::vector<std::uint64_t> totals = co_await all.template reduce<&holder::sum_of_all>(gather);
  EXPECT_EQ(totals, std::vector<std::uint64_t>(keys.size(), sum_of(keys)));
}

TEST_P(by_key, has_the_same_bits_wherever_the_elements_are) {
  run([]() -> task<> {
    for (const int count : {1, 2, 3, 7, 16, 37}) {
      const auto all = make_array<holder>(count);
      co_await check(all, first_keys(count));
      for (int round = 0; round < 2; ++round) {
        co_await all.template call<&holder::move>(round);
        co_await check(all, first_keys(count));
      }
    }
  });
}

TEST_P(by_key, leaves_out_who_has_gone) {
  run([]() -> task<> {
    const auto all = make_array<holder>(23);
    std::vector<std::uint64_t> left;
    for (int i = 0; i < 23; ++i) {
      if (i % 3 == 1 || i == 0)
        send<&holder::finish>(all[i]);
      else
        left.push_back(static_cast<std::uint64_t>(i));
    }
    co_await quiescence();
    co_await check(all, left);
  });
}

TEST_P(by_key, orders_sections_and_groups) {
  run([]() -> task<> {
    const auto all = make_array<holder>(19);
    const auto some = all.section({3, 4, 5, 11, 12, 18});
    const std::vector<std::uint64_t> keys{3, 4, 5, 11, 12, 18};
    const std::string answered = co_await some.reduce<&holder::text>(imbrex::by_key(bracket{}));
    EXPECT_EQ(answered, brackets_of(keys));
    const auto contributed = co_await some.reduce<&holder::brackets_over>(gather, some);
    EXPECT_EQ(contributed, std::vector<std::string>(keys.size(), brackets_of(keys)));
    const auto group = make_group<holder>();
    co_await check(group, first_keys(num_pes()));
  });
}

class named : public chare<named, std::string> {
 public:
  std::string text() const { return where(); }
  task<std::string> brackets() {
    const std::string all = co_await all_reduce(where(), imbrex::by_key(bracket{}));
    co_return all;
  }
};

TEST_P(by_key, numbers_other_keys_in_their_order) {
  run([]() -> task<> {
    const auto all = make_array<named>();
    for (const char* name : {"e", "b", "d", "a", "c"}) all.insert(name);
    co_await quiescence();
    const std::string expected = "(((a b) (c d)) e)";
    const std::string answered = co_await all.reduce<&named::text>(imbrex::by_key(bracket{}));
    EXPECT_EQ(answered, expected);
    const auto contributed = co_await all.reduce<&named::brackets>(gather);
    EXPECT_EQ(contributed, std::vector<std::string>(5, expected));
  });
}

}  // namespace imbrex::by_key_test
