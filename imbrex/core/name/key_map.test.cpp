// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/key_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <unordered_map>

namespace imbrex::detail {
namespace {

/// The capacity of a hash table, at most three quarters full, for this number of keys.
std::size_t capacity_of_hash(std::size_t keys) {
  return std::bit_ceil(std::max<std::size_t>(16, (4 * keys + 2) / 3));
}

/// A map together with a model of its contents. The model owns the values.
template <class Key, class Hash = std::hash<Key>>
class checked_map {
 public:
  bool holds(const Key& k) const { return model_.contains(k); }
  std::size_t size() const { return model_.size(); }
  void reserve(std::size_t n) {
    map_.reserve(n);
    most_ = n;
  }
  std::size_t capacity() const { return map_.capacity(); }

  void insert(const Key& k) {
    const auto [at, is_new] = model_.try_emplace(k, 0);
    ASSERT_TRUE(is_new);
    try {
      map_.insert(k, at->second);
    } catch (...) {
      model_.erase(at);
      throw;
    }
    most_ = std::max(most_, model_.size());
  }
  void erase(const Key& k) {
    map_.erase(k);
    model_.erase(k);
  }
  void insert_or_erase(const Key& k) { holds(k) ? erase(k) : insert(k); }

  void check(const Key& k) {
    const auto at = model_.find(k);
    ASSERT_EQ(map_.find(k), at == model_.end() ? nullptr : &at->second);
  }
  void check_all() {
    ASSERT_EQ(map_.size(), model_.size());
    for (auto& [k, value] : model_) ASSERT_EQ(map_.find(k), &value);
    EXPECT_LE(map_.capacity(), capacity_of_hash(most_));
  }

 private:
  key_map<Key, int> map_;
  std::unordered_map<Key, int, Hash> model_;
  std::size_t most_ = 0;
};

using numbers = std::mt19937_64;

/// A source of keys, as elements are created, moved and destroyed.
struct pattern {
  const char* name;
  std::uint64_t (*key)(numbers&, std::uint64_t step);
};

constexpr std::uint64_t far_away = std::uint64_t{1} << 40U;

const pattern patterns[]{
    {"one_block", [](numbers& r, std::uint64_t) { return 5000 + r() % 700; }},
    {"a_block_and_some_from_elsewhere",
     [](numbers& r, std::uint64_t) { return r() % 8 == 0 ? r() % 100'000 : 5000 + r() % 700; }},
    {"two_blocks_far_apart", [](numbers& r, std::uint64_t) { return r() % 2 * far_away + r() % 300; }},
    {"every_eighth", [](numbers& r, std::uint64_t) { return 3 + 8 * (r() % 500); }},
    {"every_eighth_then_all",
     [](numbers& r, std::uint64_t step) { return step < 5000 ? 8 * (r() % 500) : r() % 4000; }},
    {"every_sixth", [](numbers& r, std::uint64_t) { return 5 + 6 * (r() % 500); }},
    {"every_63rd", [](numbers& r, std::uint64_t) { return 63 * (r() % 500); }},
    {"powers_of_two", [](numbers& r, std::uint64_t) { return std::uint64_t{1} << r() % 64; }},
    {"multiples_of_a_power_of_two", [](numbers& r, std::uint64_t) { return r() % 300 << 54U; }},
    {"upwards", [](numbers& r, std::uint64_t step) { return step / 8 + r() % 200; }},
    {"downwards", [](numbers& r, std::uint64_t step) { return far_away - step / 8 + r() % 200; }},
    {"around_zero", [](numbers& r, std::uint64_t) { return r() % 600 - 300; }},
    {"anywhere", [](numbers& r, std::uint64_t) { return r() % 400 * 0xd1342543de82ef95U; }},
    {"of_two_creators",
     [](numbers& r, std::uint64_t step) { return r() % 2 << 48U | (step / 8 + r() % 100); }},
};

class key_maps : public ::testing::TestWithParam<pattern> {};

TEST_P(key_maps, hold_what_an_unordered_map_does) {
  for (const std::size_t reserved : {0, 300, 5000}) {
    numbers random(reserved + 1);
    checked_map<std::uint64_t> map;
    map.reserve(reserved);
    for (std::uint64_t step = 0; step < 20'000; ++step) {
      map.insert_or_erase(GetParam().key(random, step));
      const std::uint64_t k = GetParam().key(random, step);
      map.check(k);
      map.check(k + 1);
      map.check(k ^ far_away);
      if (step % 500 == 0 && reserved < 5000) map.check_all();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(of, key_maps, ::testing::ValuesIn(patterns),
                         [](const auto& info) { return std::string(info.param.name); });

// A hash table would need 2,048 slots.
TEST(key_map, of_keys_without_gaps_or_at_equal_distances_may_be_full) {
  const auto far_down = std::numeric_limits<std::uint64_t>::max() - 500;  // the next after the last is 0
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{777}, far_away - 1, far_down})
    for (const std::uint64_t distance : {1, 2, 3, 6, 8, 63, 64, 4096, -1, -8}) {
      checked_map<std::uint64_t> reserved, growing;
      reserved.reserve(1024);
      for (std::uint64_t i = 0; i < 1024; ++i) {
        reserved.insert(first + i * distance);
        growing.insert(first + i * distance);
      }
      EXPECT_EQ(reserved.capacity(), 1024U) << first << " " << distance;
      EXPECT_EQ(growing.capacity(), 1024U) << first << " " << distance;
      reserved.check_all();
      growing.check_all();
      reserved.check(first + 1024 * distance);
      reserved.check(first - distance);
    }
}

TEST(key_map, goes_on_where_a_full_table_meets_a_key_from_elsewhere) {
  checked_map<std::uint64_t> map;
  map.reserve(1024);
  for (std::uint64_t k = 0; k < 1024; ++k) map.insert(k);
  map.insert(far_away);
  EXPECT_EQ(map.capacity(), 2048U);
  map.check_all();
  for (std::uint64_t k = 0; k < 1024; ++k) map.erase(k);
  map.check_all();
}

enum class colour : std::int16_t {};

TEST(key_map, takes_negative_keys_and_those_of_an_enumeration) {
  checked_map<int> of_int;
  checked_map<colour> of_colour;
  for (int k = -500; k < 500; ++k) {
    of_int.insert(k);
    of_colour.insert(colour(k));
  }
  EXPECT_EQ(of_int.capacity(), 1024U);
  EXPECT_EQ(of_colour.capacity(), 1024U);
  of_int.check_all();
  of_colour.check_all();
  of_int.check(500);
  of_int.check(-501);
}

TEST(key_map, takes_texts) {
  numbers random(1);
  checked_map<std::string> map;
  for (int step = 0; step < 5000; ++step) {
    map.insert_or_erase(std::to_string(random() % 300));
    map.check(std::to_string(random() % 300));
    if (step % 100 == 0) map.check_all();
  }
}

/// A key whose copies and hash throw from time to time.
struct fragile {
  int number = 0;

  fragile() = default;
  explicit fragile(int n) : number(n) {}
  fragile(const fragile& other) : number(other.number) { use(); }
  fragile(fragile&&) = default;
  fragile& operator=(const fragile& other) {
    use();
    number = other.number;
    return *this;
  }
  fragile& operator=(fragile&&) = default;
  ~fragile() = default;
  bool operator==(const fragile& other) const { return number == other.number; }
  void serialize(auto& ar) {
    use();
    ar(number);
  }

  static void use() {
    if (uses_left > 0 && --uses_left == 0) throw std::bad_alloc();
  }
  static inline int uses_left = 0;  ///< countdown to a throw; 0: never throws

  struct hash {
    std::size_t operator()(const fragile& k) const { return std::hash<int>()(k.number); }
  };
};

TEST(key_map, is_as_it_was_after_an_exception) {
  numbers random(1);
  key_map<fragile, int> map;
  std::unordered_map<int, int> model;
  int failures = 0;
  for (int step = 0; step < 20'000; ++step) {
    const fragile k(static_cast<int>(random() % 150));
    fragile::uses_left = static_cast<int>(random() % 8);
    try {
      if (const auto at = model.find(k.number); at != model.end()) {
        map.erase(k);
        model.erase(at);
      } else {
        int& value = model[k.number];
        try {
          map.insert(k, value);
        } catch (...) {
          model.erase(k.number);
          throw;
        }
      }
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    fragile::uses_left = 0;
    ASSERT_EQ(map.size(), model.size());
    if (step % 8 == 0)
      for (auto& [number, value] : model) ASSERT_EQ(map.find(fragile(number)), &value);
  }
  EXPECT_GT(failures, 1000);
}

}  // namespace
}  // namespace imbrex::detail
