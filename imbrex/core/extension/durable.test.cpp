// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/durable.test.hpp>

#include <set>

namespace imbrex::durable_test {

class durable : public ::testing::TestWithParam<two_runs> {
 protected:
  void SetUp() override { memory::of_test().clear(); }
};
INSTANTIATE_TEST_SUITE_P(on, durable, ::testing::ValuesIn(pairs_of_machines()), name_of_pair);

class block : public chare<block, index<2>> {
 public:
  block() = default;
  explicit block(int scale) : cells_(static_cast<std::size_t>(where()[0] + 1), scale * (where()[1] + 1)) {}

  task<int> run(int limit) {
    while (step_ < limit) {
      ++step_;
      for (double& c : cells_) c += 1;
      co_await balance_point<&block::run>(limit);
    }
    co_return step_;
  }
  int step() const { return step_; }
  /// 1 if the block has done that many steps.
  int is_right(int scale, int steps) const {
    const std::vector<double> cells(static_cast<std::size_t>(where()[0] + 1),
                                    scale * (where()[1] + 1) + steps);
    return step_ == steps && cells_ == cells ? 1 : 0;
  }
  int is_where(int scale, int) const { return is_right(scale, where()[0] + where()[1] + 3); }
  void serialize(auto& ar) { ar(step_, cells_); }

 private:
  int step_ = 0;
  std::vector<double> cells_;
};

TEST_P(durable, elements_go_on_from_their_members) {
  memory::of_test().knows<block>();
  memory::of_test().restarts_by<block, &block::run>(
      [](const block& b) { return b.where()[0] + b.where()[1] + 3; });
  const index<2> shape{5, 3};
  run_both(
      GetParam(),
      [&]() -> task<> {
        const auto blocks = make_array<block>(dense(shape).named("blocks"), 10);
        co_await blocks.reduce<&block::run>(sum, 2);
        co_await save_all();
      },
      [&]() -> task<> {
        const auto numbers = co_await restore_all();
        const auto blocks = extension::proxy_of<block>(numbers.at("blocks"));
        EXPECT_EQ(blocks.shape(), shape);
        co_await quiescence();
        const int right = co_await blocks.reduce<&block::is_where>(sum, 10, 0);
        EXPECT_EQ(right, 15);
        co_await blocks.reduce<&block::run>(sum, 20);
        const int all = co_await blocks.reduce<&block::is_right>(sum, 10, 20);
        EXPECT_EQ(all, 15);
      });
}

/// A key of the program's own.
struct octant {
  std::uint8_t level = 0;
  std::vector<int> path;
  bool operator==(const octant&) const = default;
  void serialize(auto& ar) { ar(level, path); }
};

/// Elements with any index, which have a number that follows from it.
template <class Derived, class Index>
class numbered : public chare<Derived, Index> {
 public:
  numbered() = default;
  explicit numbered(int number) : number_(number) {}
  int number() const { return number_; }
  void go(int to) { this->migrate_to(to); }
  void serialize(auto& ar) { ar(number_); }

 private:
  int number_ = 0;
};
class in_space : public numbered<in_space, index<3>> {
  using numbered::numbered;
};
class by_text : public numbered<by_text, std::string> {
  using numbered::numbered;
};
class by_number : public numbered<by_number, std::int64_t> {
  using numbered::numbered;
};
class by_octant : public numbered<by_octant, octant> {
  using numbered::numbered;
};

struct by_length {
  int operator()(const std::string& key, int pes) const { return static_cast<int>(key.size()) % pes; }
};

constexpr int elements = 40;
std::string text_of_number(int i) {
  return std::string(static_cast<std::size_t>(i % 7), 'x') + std::to_string(i);
}
index<3> place_of_number(int i) { return {i % 5 * 30, i / 5 * 7, 999 - i}; }
octant octant_of_number(int i) {
  return {static_cast<std::uint8_t>(i % 4), std::vector<int>(std::size_t(1 + i % 4), i)};
}

template <class T, class Key>
task<int> count_right(array<T> all, Key key_of) {
  int right = 0;
  for (int i = 0; i < elements; ++i) {
    const int number = co_await all[key_of(i)].template call<&T::number>();
    right += number == i ? 1 : 0;
  }
  const int sum_of_all = co_await all.template reduce<&T::number>(sum);
  co_return sum_of_all == elements*(elements - 1) / 2 ? right : 0;
}

TEST_P(durable, elements_of_all_kinds_of_index_are_found_again) {
  auto& kept = memory::of_test();
  kept.knows<in_space>();
  kept.knows<by_text, by_length>();
  kept.knows<by_number>();
  kept.knows<by_octant>();
  const auto number = [](int i) { return std::int64_t{1} << i; };
  run_both(
      GetParam(),
      [&]() -> task<> {
        const auto space =
            make_array<in_space>(sparse(index<3>{200, 60, 1000}).placed(round_robin).named("space"));
        const auto texts = make_array<by_text>(keyed<std::string>().named("texts").placed(by_length()));
        const auto numbers = make_array<by_number>(keyed<std::int64_t>().named("numbers"));
        const auto octants = make_array<by_octant>(keyed<octant>().named("octants"));
        for (int i = 0; i < elements; ++i) {
          space.insert(place_of_number(i), i);
          texts.insert(text_of_number(i), i);
          numbers.insert(number(i), i);
          octants.insert(octant_of_number(i), i);
        }
        co_await quiescence();
        for (int i = 0; i < elements; i += 3) {
          send<&in_space::go>(space[place_of_number(i)], i % num_pes());
          send<&by_text::go>(texts[text_of_number(i)], i % num_pes());
        }
        co_await save_all();
      },
      [&]() -> task<> {
        const auto of = co_await restore_all();
        EXPECT_EQ((co_await count_right(extension::proxy_of<in_space>(of.at("space")), place_of_number)),
                  elements);
        EXPECT_EQ((co_await count_right(extension::proxy_of<by_text>(of.at("texts")), text_of_number)),
                  elements);
        EXPECT_EQ((co_await count_right(extension::proxy_of<by_number>(of.at("numbers")), number)), elements);
        EXPECT_EQ((co_await count_right(extension::proxy_of<by_octant>(of.at("octants")), octant_of_number)),
                  elements);
        // The arrays go on as others: elements move, end and come.
        const auto space = extension::proxy_of<in_space>(of.at("space"));
        space.insert({1, 1, 1}, 1000);
        space[place_of_number(7)].destroy();
        send<&in_space::go>(space[place_of_number(8)], num_pes() - 1);
        co_await quiescence();
        const int all = co_await space.reduce<&in_space::number>(sum);
        EXPECT_EQ(all, elements * (elements - 1) / 2 + 1000 - 7);
      });
}

TEST_P(durable, elements_may_lie_elsewhere_than_at_home) {
  memory::of_test().knows<in_space>();
  memory::of_test().scatters = true;
  run_both(
      GetParam(),
      []() -> task<> {
        const auto space = make_array<in_space>(sparse(index<3>{200, 60, 1000}).named("space"));
        for (int i = 0; i < elements; ++i) space.insert(place_of_number(i), i);
        co_await save_all();
      },
      []() -> task<> {
        const auto of = co_await restore_all();
        const auto space = extension::proxy_of<in_space>(of.at("space"));
        EXPECT_EQ((co_await count_right(space, place_of_number)), elements);
        for (int i = 0; i < elements; ++i) send<&in_space::go>(space[place_of_number(i)], i % num_pes());
        co_await quiescence();
        EXPECT_EQ((co_await count_right(space, place_of_number)), elements);
      });
}

TEST_P(durable, elements_that_ended_stay_ended) {
  memory::of_test().knows<block>();
  run_both(
      GetParam(),
      []() -> task<> {
        const auto blocks = make_array<block>(dense(index<2>{3, 3}).named("blocks"), 1);
        blocks[{1, 1}].destroy();
        blocks[{2, 0}].destroy();
        co_await save_all();
      },
      []() -> task<> {
        const auto of = co_await restore_all();
        const auto blocks = extension::proxy_of<block>(of.at("blocks"));
        const int right = co_await blocks.reduce<&block::is_right>(sum, 1, 0);
        EXPECT_EQ(right, 7);
        const std::string refused = co_await awaited_error_of<error>(
            [&]() -> task<> { co_await blocks[{1, 1}].call<&block::step>(); });
        EXPECT_NE(refused.find("block(1, 1) has been destroyed"), std::string::npos) << refused;
      });
}

}  // namespace imbrex::durable_test
