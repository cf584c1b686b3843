// SPDX-License-Identifier: Apache-2.0
#pragma once
// One aggregate with every kind of field, and random values of it, for the tests and the fuzz target.

#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace imbrex::sample {

enum class colour : std::int16_t { red, green, blue };
enum class yes_or_no : bool { no, yes };

/// A chain of nodes owned by unique_ptr.
struct linked {
  std::unique_ptr<linked> next;
  std::uint8_t value = 0;
  friend bool operator==(const linked& a, const linked& b) {
    return a.value == b.value && (a.next == nullptr) == (b.next == nullptr) &&
           (a.next == nullptr || *a.next == *b.next);
  }
};

struct tree {
  std::int32_t value = 0;
  std::vector<tree> children;
  friend bool operator==(const tree& a, const tree& b) {
    return a.value == b.value && a.children == b.children;
  }
};

/// A class with private members, and one function for both directions.
class closed {
 public:
  closed() = default;
  closed(int number, std::string text) : number_(number), text_(std::move(text)) {}
  void serialize(auto& ar) { ar(number_, text_); }
  friend bool operator==(const closed&, const closed&) = default;

 private:
  int number_ = 0;
  std::string text_;
};

struct empty_base {
  friend bool operator==(const empty_base&, const empty_base&) = default;
};
struct with_bases : empty_base {
  std::string text;
  yes_or_no answer = yes_or_no::no;
  friend bool operator==(const with_bases&, const with_bases&) = default;
};

struct particle {
  double position[3];
  float mass;
  colour kind;
  friend bool operator==(const particle&, const particle&) = default;
};

struct texts {
  std::string one, two[2];
  std::array<std::string, 2> three;
  std::vector<std::vector<std::string>> more;
  friend bool operator==(const texts&, const texts&) = default;
};

struct everything {
  bool flag = false;
  std::complex<double> complex;
  std::chrono::nanoseconds time{};
  std::bitset<13> bits;
  std::vector<double> numbers;
  std::vector<bool> flags;
  std::vector<particle> particles;
  texts strings;
  std::deque<std::int16_t> deque;
  std::list<std::string> list;
  std::map<std::string, std::vector<int>> map;
  std::unordered_map<int, std::optional<std::string>> hash_map;
  std::multimap<int, int> multimap;
  std::set<std::pair<int, bool>> set;
  std::unordered_multiset<std::string> hash_multiset;
  std::tuple<int, std::string, bool> tuple;
  std::variant<std::monostate, int, std::string, std::vector<float>> variant;
  std::optional<particle> maybe;
  linked chain;
  tree root;
  closed hidden;
  with_bases derived;
  std::array<bool, 3> three{};
  friend bool operator==(const everything&, const everything&) = default;
};

template <class Random>
int number(Random& random) {
  return static_cast<int>(random());
}

template <class Random>
std::size_t length(Random& random) {
  return random() % 4;
}

template <class Random>
std::string text(Random& random) {
  return std::string(random() % 8 == 0 ? 40 : length(random), static_cast<char>('a' + random() % 26));
}

template <class Random>
particle make_particle(Random& random) {
  return {{number(random) / 3.0, 2.0, -1.0}, 0.5F, static_cast<colour>(random() % 3)};
}

template <class Random>
tree make_tree(Random& random, int depth) {
  tree root{number(random), {}};
  if (depth > 0)
    for (std::size_t i = length(random); i > 0; --i) root.children.push_back(make_tree(random, depth - 1));
  return root;
}

template <class Random>
everything make_everything(Random& random) {
  everything sample;
  sample.flag = random() % 2 != 0;
  sample.complex = {number(random) / 7.0, 1.0};
  sample.time = std::chrono::nanoseconds(number(random));
  sample.bits = std::bitset<13>(random());
  for (std::size_t i = length(random); i > 0; --i) sample.numbers.push_back(number(random) / 3.0);
  for (std::size_t i = random() % 20; i > 0; --i) sample.flags.push_back(random() % 2 != 0);
  for (std::size_t i = length(random); i > 0; --i) sample.particles.push_back(make_particle(random));
  sample.strings = {text(random), {text(random), text(random)}, {text(random), text(random)}, {}};
  for (std::size_t i = length(random); i > 0; --i)
    sample.strings.more.emplace_back(length(random), text(random));
  for (std::size_t i = length(random); i > 0; --i)
    sample.deque.push_back(static_cast<std::int16_t>(random()));
  for (std::size_t i = length(random); i > 0; --i) sample.list.push_back(text(random));
  for (std::size_t i = length(random); i > 0; --i)
    sample.map[text(random)].assign(length(random), number(random));
  for (std::size_t i = length(random); i > 0; --i) sample.hash_map[number(random)] = text(random);
  sample.hash_map[number(random)] = std::nullopt;
  for (std::size_t i = length(random); i > 0; --i)
    sample.multimap.emplace(static_cast<int>(random() % 2), number(random));
  for (std::size_t i = length(random); i > 0; --i) sample.set.emplace(number(random), random() % 2 != 0);
  for (std::size_t i = length(random); i > 0; --i) sample.hash_multiset.insert(text(random));
  sample.tuple = {number(random), text(random), random() % 2 != 0};
  switch (random() % 4) {
    case 0: sample.variant = number(random); break;
    case 1: sample.variant = text(random); break;
    case 2: sample.variant = std::vector<float>(length(random), 1.5F); break;
    default: break;
  }
  if (random() % 2 != 0) sample.maybe = make_particle(random);
  linked* end = &sample.chain;
  for (std::size_t i = length(random); i > 0; --i) {
    end->next = std::make_unique<linked>();
    end = end->next.get();
    end->value = static_cast<std::uint8_t>(random());
  }
  sample.root = make_tree(random, 3);
  sample.hidden = closed(number(random), text(random));
  sample.derived.text = text(random);
  sample.derived.answer = random() % 2 != 0 ? yes_or_no::yes : yes_or_no::no;
  sample.three = {true, random() % 2 != 0, false};
  return sample;
}

}  // namespace imbrex::sample
