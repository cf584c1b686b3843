// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include <imbrex/checkpoint/driver/checkpoint.hpp>
#include <imbrex/checkpoint/driver/test_folder.test.hpp>
#include <imbrex/core/array/balance_point.hpp>
#include <imbrex/core/array/collectives.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/testing/machines.hpp>

namespace imbrex::checkpoint_places_test {

using checkpoints_test::restarted;
using checkpoints_test::test_folder;
using checkpoints_test::with_folder;

constexpr int count = 12;
constexpr int steps = 30;

/// The key of an element by its number, which goes round.
template <class Key>
Key key_of(int number) {
  number %= count;
  if constexpr (std::is_same_v<Key, std::string>)
    return std::to_string(number * 1001);
  else
    return {number % 3, number / 3};
}

/// A chare that knows where it was written, and adds up the numbers of its neighbours.
template <class Key>
class walker : public chare<walker<Key>, Key> {
 public:
  mailbox<int> words;

  task<int> run() {
    while (step_ < steps) {
      send<&walker::words>(this->peers()[key_of<Key>(number_ + 1)], step_, number_);
      const int word = co_await words.receive(step_);
      sum_ += word;
      ++step_;
      co_await this->template balance_point<&walker::run>();
    }
    co_return sum_;
  }
  void begin(int number) {
    number_ = number;
    first_place_ = this->pe();
  }
  int step() const { return step_; }
  int is_at_its_place() const { return this->pe() == place_ ? 1 : 0; }
  int has_moved() const { return place_ != first_place_ ? 1 : 0; }
  void serialize(auto& ar) {
    place_ = this->pe();  // overwritten where the chare is read
    ar(words, number_, step_, sum_, place_, first_place_);
  }

 private:
  int number_ = 0;
  int step_ = 0;
  int sum_ = 0;
  int place_ = -1;
  int first_place_ = -1;
};

template <class Key>
task<> save_midway(array<walker<Key>> all) {
  for (int i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<Key, std::string>) all.insert(key_of<Key>(i));
    send<&walker<Key>::begin>(all[key_of<Key>(i)], i);
  }
  co_await quiescence();
  auto sums = all.template reduce<&walker<Key>::run>(sum);
  while (co_await all.template reduce<&walker<Key>::step>(min) < steps / 2) co_await give_way();
  co_await checkpoint();
  imbrex::exit(0);
}

template <class Key>
task<> go_on(int pes_before) {
  const auto all = restored<walker<Key>>("walkers").value();
  const int moved = co_await all.template reduce<&walker<Key>::has_moved>(sum);
  EXPECT_GT(moved, 0);
  const int at_places = co_await all.template reduce<&walker<Key>::is_at_its_place>(sum);
  if (num_pes() == pes_before) EXPECT_EQ(at_places, count);
  int found = 0;
  for (int i = 0; i < count; ++i) found += co_await all[key_of<Key>(i)].template call<&walker<Key>::step>();
  EXPECT_GE(found, count * steps / 2);
  const int together = co_await all.template reduce<&walker<Key>::run>(sum);
  EXPECT_EQ(together, steps * count * (count - 1) / 2);
}

/// `make` makes the array.
template <class Key, class Make>
void expect_places(const Make& make) {
  constexpr int pes = 3;
  const test_folder folder;
  options settings = with_folder(testing::seeded(pes, 5), folder);
  settings.balance.strategy = "rotate";
  ASSERT_EQ(run(settings, [&]() -> task<> { return save_midway<Key>(make()); }), 0);
  for (const int then : {3, 2, 4})
    EXPECT_EQ(run(restarted(testing::seeded(then, 7), folder.path()), [] { return go_on<Key>(pes); }), 0);
  EXPECT_EQ(run(restarted(testing::threads(pes), folder.path()), [] { return go_on<Key>(pes); }), 0);
}

TEST(places_of_balancer, are_kept_on_as_many_pes) {
  using plane = index<2>;
  expect_places<plane>([] { return make_array<walker<plane>>(dense(plane{3, count / 3}).named("walkers")); });
}

TEST(places_of_balancer, are_kept_for_texts_as_keys) {
  expect_places<std::string>(
      [] { return make_array<walker<std::string>>(keyed<std::string>().named("walkers")); });
}

}  // namespace imbrex::checkpoint_places_test
