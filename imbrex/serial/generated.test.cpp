// SPDX-License-Identifier: Apache-2.0
// Round trips of generated types. Each rule below builds a type from smaller ones. The list of tested types
// applies the rules to each other.
#include <gtest/gtest.h>

#include <imbrex/serial/archive.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace imbrex {
namespace {

enum class colour : std::uint16_t { red, green, blue };

template <class A, class B>
struct record {
  A first;
  B second;
  std::int8_t tail;
  bool operator==(const record&) const = default;
  bool operator<(const record& other) const {
    return std::tie(first, second) < std::tie(other.first, other.second);
  }
};

template <class A>
class guarded {  // private members, so one serialize()
 public:
  guarded() = default;
  explicit guarded(A a) : value_(std::move(a)) {}
  bool operator==(const guarded&) const = default;
  void serialize(auto& ar) { ar(value_, times_); }

 private:
  A value_{};
  int times_ = 3;
};

using generator = std::mt19937;

template <class T>
struct random_value {
  static T make(generator& g) { return static_cast<T>(g() % 3); }  // arithmetic types and colour
};
template <>
struct random_value<double> {
  static double make(generator& g) { return std::uniform_real_distribution<>(-1e9, 1e9)(g); }
};
template <>
struct random_value<std::string> {
  static std::string make(generator& g) { return std::string(g() % 40, static_cast<char>(g() % 256)); }
};
template <class T>
T make(generator& g) {
  return random_value<T>::make(g);
}
template <class C>
C make_container(generator& g) {
  C c;
  for (auto n = g() % 5; n > 0; --n) c.insert(c.end(), make<typename C::value_type>(g));
  return c;
}
template <class E>
struct random_value<std::vector<E>> {
  static auto make(generator& g) { return make_container<std::vector<E>>(g); }
};
template <class E>
struct random_value<std::deque<E>> {
  static auto make(generator& g) { return make_container<std::deque<E>>(g); }
};
template <class E>
struct random_value<std::list<E>> {
  static auto make(generator& g) { return make_container<std::list<E>>(g); }
};
template <class E>
struct random_value<std::set<E>> {
  static auto make(generator& g) { return make_container<std::set<E>>(g); }
};
template <class K, class V>
struct random_value<std::map<K, V>> {
  static auto make(generator& g) {
    std::map<K, V> m;
    for (auto n = g() % 5; n > 0; --n) m.emplace(imbrex::make<K>(g), imbrex::make<V>(g));
    return m;
  }
};
template <class E, std::size_t N>
struct random_value<std::array<E, N>> {
  static auto make(generator& g) {
    std::array<E, N> a;
    for (auto& e : a) e = imbrex::make<E>(g);
    return a;
  }
};
template <class E>
struct random_value<std::optional<E>> {
  static std::optional<E> make(generator& g) {
    if (g() % 2 == 0) return std::nullopt;
    return imbrex::make<E>(g);
  }
};
template <class A, class B>
struct random_value<std::pair<A, B>> {
  static std::pair<A, B> make(generator& g) {
    A a = imbrex::make<A>(g);
    return {std::move(a), imbrex::make<B>(g)};
  }
};
template <class... E>
struct random_value<std::tuple<E...>> {
  static std::tuple<E...> make(generator& g) { return std::tuple<E...>{imbrex::make<E>(g)...}; }
};
template <class A, class B>
struct random_value<std::variant<A, B>> {
  static std::variant<A, B> make(generator& g) {
    if (g() % 2 == 0) return std::variant<A, B>(std::in_place_index<0>, imbrex::make<A>(g));
    return std::variant<A, B>(std::in_place_index<1>, imbrex::make<B>(g));
  }
};
template <class A, class B>
struct random_value<record<A, B>> {
  static record<A, B> make(generator& g) {
    A a = imbrex::make<A>(g);
    return {std::move(a), imbrex::make<B>(g), static_cast<std::int8_t>(g())};
  }
};
template <class A>
struct random_value<guarded<A>> {
  static guarded<A> make(generator& g) { return guarded<A>(imbrex::make<A>(g)); }
};

// The rules, each from two types to one.
template <class A, class B>
using rule_0 = std::vector<record<A, B>>;
template <class A, class B>
using rule_1 = std::map<A, std::optional<B>>;
template <class A, class B>
using rule_2 = std::tuple<std::list<A>, std::array<B, 3>, bool>;
template <class A, class B>
using rule_3 = std::variant<std::pair<A, B>, guarded<std::deque<B>>>;
template <class A, class B>
using rule_4 = record<guarded<A>, std::pair<std::set<A>, std::vector<B>>>;

template <template <class, class> class Outer, class A, class B>
using twice = ::testing::Types<Outer<A, B>, Outer<A, rule_0<A, B>>, Outer<A, rule_1<A, B>>,
                               Outer<A, rule_2<A, B>>, Outer<A, rule_3<A, B>>, Outer<A, rule_4<A, B>>>;

template <class T>
class generated : public ::testing::Test {};
TYPED_TEST_SUITE_P(generated);

TYPED_TEST_P(generated, survives_a_round_trip_and_refuses_less) {
  generator g(20);
  for (int round = 0; round < 20; ++round) {
    const auto value = make<TypeParam>(g);
    writer out;
    out(value);
    const auto bytes = out.take();
    TypeParam copy{};
    reader in(bytes);
    in(copy);
    in.finish();
    EXPECT_TRUE(copy == value);
    for (std::size_t n = 0; n < bytes.size(); n += 1 + bytes.size() / 50) {
      const auto part = std::span(bytes).first(n);
      reader cut(part);
      TypeParam target{};
      EXPECT_THROW(cut(target), serial_error) << n << " of " << bytes.size() << " bytes";
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(generated, survives_a_round_trip_and_refuses_less);
using from_0 = twice<rule_0, int, double>;
using from_1 = twice<rule_1, std::string, colour>;
using from_2 = twice<rule_2, std::uint8_t, std::string>;
using from_3 = twice<rule_3, std::int64_t, bool>;
using from_4 = twice<rule_4, char, float>;
INSTANTIATE_TYPED_TEST_SUITE_P(records, generated, from_0);
INSTANTIATE_TYPED_TEST_SUITE_P(maps, generated, from_1);
INSTANTIATE_TYPED_TEST_SUITE_P(tuples, generated, from_2);
INSTANTIATE_TYPED_TEST_SUITE_P(variants, generated, from_3);
INSTANTIATE_TYPED_TEST_SUITE_P(guarded_values, generated, from_4);

}  // namespace
}  // namespace imbrex
