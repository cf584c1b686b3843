// SPDX-License-Identifier: Apache-2.0
// Types that a program does not own.
#include <imbrex/serial/adaptors.hpp>
#include <imbrex/serial/bytes.hpp>
#include <imbrex/serial/filesystem.hpp>
#include <imbrex/serial/forward_list.hpp>
#include <imbrex/serial/random.hpp>
#include <imbrex/serial/valarray.hpp>

#include <gtest/gtest.h>

#include <any>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace somebodys {

class closed {
 public:
  closed() = default;
  explicit closed(int a) : a_(a) {}
  int a() const { return a_; }
  void a(int value) { a_ = value; }

 private:
  int a_ = 0;
};

class beside {
 public:
  int a = 0;
  std::string b;
  explicit beside(int value = 0) : a(value) {}
};
void serialize(auto& ar, beside& value) { ar(value.a, value.b); }

class sealed {
 public:
  explicit sealed(int a = 0) : a_(a) {}
  int a() const { return a_; }

 private:
  int a_;
};

}  // namespace somebodys

template <>
struct imbrex::serializer<somebodys::closed> {
  static void serialize(auto& ar, somebodys::closed& value) {
    int a = value.a();
    ar(a);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) value.a(a);
  }
};

namespace imbrex {
namespace {

template <class T>
T there_and_back(const T& value) {
  return from_bytes<T>(to_bytes(value));
}

static_assert(!serializable<somebodys::sealed> && !serializable<std::any> &&
              !serializable<std::function<void()>>);
static_assert(detail::bitwise<detail::int128> && detail::bitwise<detail::uint128>);

TEST(foreign, is_written_by_a_specialisation_or_a_function_beside_the_type) {
  EXPECT_EQ(there_and_back(somebodys::closed(7)).a(), 7);
  somebodys::beside value(8);
  value.b = "text";
  const auto all = there_and_back(std::vector{value, value, value});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].a, 8);
  EXPECT_EQ(all[2].b, "text");
}

TEST(foreign, holds_numbers_of_128_bits) {
  const detail::uint128 large = (detail::uint128{1} << 100U) + 3;
  EXPECT_TRUE(there_and_back(large) == large);
}

template <class Engine>
void goes_on() {
  Engine engine(static_cast<typename Engine::result_type>(99));
  for (int drawn = 0; drawn < 1001; ++drawn) {
    if (drawn % 97 == 0) {
      Engine copy = there_and_back(engine);
      EXPECT_EQ(copy, engine);
      EXPECT_EQ(copy(), Engine(engine)());
    }
    engine();
  }
}

TEST(foreign, goes_on_with_a_random_sequence) {
  goes_on<std::minstd_rand>();
  goes_on<std::mt19937>();
  goes_on<std::mt19937_64>();
  goes_on<std::ranlux24>();
  goes_on<std::knuth_b>();
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0.1, 1.0 / 3);
  normal(random);  // keeps a second number
  auto copy = there_and_back(normal);
  std::mt19937 same = random;
  EXPECT_EQ(copy(same), normal(random));
  EXPECT_THROW(from_bytes<std::mt19937>(to_bytes(std::string("no state"))), serial_error);
}

TEST(foreign, keeps_containers_and_their_order) {
  std::mt19937 random(17);
  for (const std::size_t size : {0U, 1U, 2U, 7U, 63U, 65U, 1001U}) {
    std::stack<int> stack;
    std::queue<std::string> queue;
    std::priority_queue<int, std::vector<int>, std::greater<>> heap;
    std::valarray<double> numbers(size);
    std::valarray<bool> flags(size);
    std::forward_list<std::string> list;
    for (std::size_t i = 0; i < size; ++i) {
      const int n = static_cast<int>(random() % 1000);
      stack.push(n);
      queue.push(std::string(random() % 40, 'x') + std::to_string(n));
      heap.push(n);
      numbers[i] = n;
      flags[i] = n % 2 == 0;
      list.push_front(std::to_string(n));
    }
    EXPECT_EQ(there_and_back(stack), stack);
    EXPECT_EQ(there_and_back(queue), queue);
    EXPECT_EQ(there_and_back(list), list);
    const auto numbers_back = there_and_back(numbers);
    ASSERT_EQ(numbers_back.size(), size);
    const auto flags_back = there_and_back(flags);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(numbers_back[i], numbers[i]);
      EXPECT_EQ(flags_back[i], flags[i]);
    }
    auto heap_back = there_and_back(heap);
    ASSERT_EQ(heap_back.size(), size);
    for (; !heap.empty(); heap.pop(), heap_back.pop()) EXPECT_EQ(heap_back.top(), heap.top());
  }
  EXPECT_EQ(there_and_back(std::filesystem::path("/a/ b/c.txt")), std::filesystem::path("/a/ b/c.txt"));
}

TEST(foreign, makes_a_heap_of_bytes_that_are_none) {
  auto heap = from_bytes<std::priority_queue<int>>(to_bytes(std::vector{1, 2, 9, 4, 5}));
  EXPECT_EQ(heap.top(), 9);
}

TEST(bytes, are_refused_if_they_are_cut_off_or_too_many) {
  std::vector<std::byte> bytes = to_bytes(std::vector<std::string>{"one", "two"});
  for (std::size_t kept = 0; kept < bytes.size(); ++kept)
    EXPECT_THROW(from_bytes<std::vector<std::string>>(std::span(bytes).first(kept)), serial_error);
  bytes.push_back({});
  EXPECT_THROW(from_bytes<std::vector<std::string>>(bytes), serial_error);
}

}  // namespace
}  // namespace imbrex
