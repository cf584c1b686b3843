// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::model_test {

/// Stores the received values; the model stores them in a map.
template <int N>
class shelf : public chare<shelf<N>, index<N>> {
 public:
  shelf() = default;
  explicit shelf(long first) : contents_{first} {}

  void put(long item) { contents_.push_back(item); }
  long put_and_count(long item) {
    contents_.push_back(item);
    return static_cast<long>(contents_.size());
  }
  void pass(index<N> to, long item) { send<&shelf::put>(this->peers()[to], item); }
  void go(int to) { this->migrate_to(to); }
  task<long> largest(long item) {
    contents_.push_back(item);
    const long most = co_await this->all_reduce(static_cast<long>(contents_.size()), imbrex::max);
    co_return most;
  }
  std::multiset<long> contents() const { return {contents_.begin(), contents_.end()}; }
  void serialize(auto& ar) { ar(contents_); }

 private:
  std::vector<long> contents_;
};

struct scattered {
  template <int N>
  int operator()(const index<N>& i, const index<N>&, int pes) const {
    return static_cast<int>(detail::key_hash(i) >> 40U) % pes;
  }
};

/// A random program, checked against a map of multisets: phases of messages in any order. Between phases, at
/// quiescence, elements are inserted and destroyed.
template <int N>
task<> random_program(std::uint64_t seed) {
  random dice(seed);
  index<N> shape;
  for (int d = 0; d < N; ++d) shape[d] = 1 + static_cast<int>(dice.below(N > 3 ? 2 : 4));
  const auto kind = dice.below(4);
  auto all = kind == 0   ? make_array<shelf<N>>(dense(shape), 1L)
             : kind == 1 ? make_array<shelf<N>>(dense(shape).placed(round_robin), 1L)
             : kind == 2 ? make_array<shelf<N>>(dense(shape).placed(scattered{}), 1L)
                         : make_array<shelf<N>>(sparse(shape));
  std::map<index<N>, std::multiset<long>> model;
  const auto room = detail::volume(shape);
  const auto any_place = [&] { return detail::from_linear(shape, dice.below(room)); };
  if (kind < 3)
    for (std::uint64_t l = 0; l < room; ++l) model[detail::from_linear(shape, l)] = {1};
  long item = 2;
  for (int phase = 0; phase < 6; ++phase) {
    for (int i = 0; i < 4; ++i) {
      const auto where = any_place();
      if (!model.contains(where)) {
        model[where] = {item};
        all.insert(where, item++);
      } else if (dice.below(3) == 0) {
        co_await quiescence();  // otherwise this might overtake the insertion at an index of a destroyed
                                // element
        model.erase(where);
        all[where].destroy();
        co_await quiescence();
      }
    }
    co_await quiescence();
    if (model.empty()) continue;
    std::vector<pending<long>> counts;
    for (int i = 0; i < 40; ++i) {
      const auto to = std::next(model.begin(), static_cast<long>(dice.below(model.size())));
      const auto from = std::next(model.begin(), static_cast<long>(dice.below(model.size())));
      switch (dice.below(6)) {
        case 0:
          to->second.insert(item);
          send<&shelf<N>::put>(all[to->first].with_priority(static_cast<int>(dice.below(5)) - 2), item++);
          break;
        case 1:
          to->second.insert(item);
          counts.push_back(all[to->first].template call<&shelf<N>::put_and_count>(item++));
          break;
        case 2:
          to->second.insert(item);
          send<&shelf<N>::pass>(all[from->first], to->first, item++);
          break;
        case 3:
          for (auto& [where, contents] : model) contents.insert(item);
          send<&shelf<N>::put>(all, item++);
          break;
        default:
          send<&shelf<N>::go>(all[to->first],
                              static_cast<int>(dice.below(static_cast<std::uint64_t>(num_pes()))));
      }
    }
    for (auto& [where, contents] : model) contents.insert(item);
    auto all_agree = all.template reduce<&shelf<N>::largest>(gather, item++);
    const auto sizes = co_await all_agree;
    EXPECT_EQ(sizes, std::vector<long>(model.size(), sizes.front()));
    co_await when_all(std::move(counts));
    co_await quiescence();
    const auto got = co_await all.template reduce<&shelf<N>::contents>(gather);
    std::vector<std::multiset<long>> expected;
    for (const auto& [where, contents] : model) expected.push_back(contents);
    EXPECT_EQ(got, expected);
  }
}

task<> program_of(std::uint64_t seed) {
  switch (seed % 6) {
    case 0: return random_program<1>(seed);
    case 1: return random_program<2>(seed);
    case 2: return random_program<3>(seed);
    case 3: return random_program<4>(seed);
    case 4: return random_program<5>(seed);
    default: return random_program<6>(seed);
  }
}

TEST(model, random_programs_agree_with_it_in_any_deterministic_order) {
  for (std::uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(seeded(static_cast<int>(seed % 5 + 1), seed), [seed] { return program_of(seed); }), 0);
  }
}

TEST(model, random_programs_agree_with_it_on_shuffled_threads) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const options settings{
        .pes = static_cast<int>(seed % 4 + 1), .shuffle = seed, .serialize_always = seed % 2 == 0};
    EXPECT_EQ(run(settings, [seed] { return program_of(seed); }), 0);
  }
}

TEST(model, random_programs_agree_with_it_on_plain_threads) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(threads(static_cast<int>(seed % 4 + 1)), [seed] { return program_of(seed); }), 0);
  }
}

}  // namespace imbrex::model_test
