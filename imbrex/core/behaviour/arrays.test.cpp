// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::arrays_test {

class bond;

}  // namespace imbrex::arrays_test

template <>
struct imbrex::index_of<imbrex::arrays_test::bond> {
  using type = index<2>;
};

namespace imbrex::arrays_test {

class arrays : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, arrays, ::testing::ValuesIn(machines()), name_of_machine);

template <int N>
class point : public chare<point<N>, index<N>> {
 public:
  explicit point(int offset) : offset_(offset) {}
  index<N> place() const { return this->where(); }
  int value(int add) const { return offset_ + add; }
  std::uint64_t size_of_array() const { return this->peers().size(); }
  element<point> me() const { return this->self(); }

 private:
  int offset_;
};

template <int N>
task<> visit_all(index<N> shape) {
  auto points = make_array<point<N>>(shape, 1000);
  EXPECT_EQ(points.shape(), shape);
  std::vector<index<N>> expected;
  std::vector<pending<index<N>>> answers;
  for (std::uint64_t l = 0; l < detail::volume(shape); ++l) {
    expected.push_back(detail::from_linear(shape, l));
    answers.push_back(points[expected.back()].template call<&point<N>::place>());
  }
  const auto got = co_await when_all(std::move(answers));
  EXPECT_EQ(got, expected);
  const auto gathered = co_await points.template reduce<&point<N>::place>(gather);
  EXPECT_EQ(gathered, expected);
  const auto sizes = co_await points.template reduce<&point<N>::size_of_array>(min);
  EXPECT_EQ(sizes, expected.size());
  const int sum_of_values = co_await points.template reduce<&point<N>::value>(sum, 7);
  EXPECT_EQ(sum_of_values, static_cast<int>(expected.size()) * 1007);
}

TEST_P(arrays, have_one_to_six_dimensions) {
  run([]() -> task<> {
    co_await visit_all(index<1>(7));
    co_await visit_all(index<2>(3, 4));
    co_await visit_all(index<3>(2, 1, 3));
    co_await visit_all(index<4>(2, 1, 2, 2));
    co_await visit_all(index<5>(1, 2, 1, 2, 2));
    co_await visit_all(index<6>(2, 1, 1, 2, 1, 2));
    co_await visit_all(index<1>(1));
  });
}

TEST_P(arrays, of_one_dimension_take_integers) {
  run([]() -> task<> {
    auto points = make_array<point<1>>({5}, 1);
    const auto i = co_await points[3].call<&point<1>::place>();
    EXPECT_EQ(i, index<1>(3));
    const auto me = co_await points[4].call<&point<1>::me>();
    EXPECT_EQ(me, points[4]);
    EXPECT_NE(me, points[3]);
  });
}

TEST_P(arrays, a_wrong_index_is_refused_with_its_value) {
  run([]() -> task<> {
    auto points = make_array<point<2>>({3, 4}, 1);
    for (const auto& wrong : {index<2>(3, 0), index<2>(0, 4), index<2>(-1, 0), index<2>(0, -1)}) {
      const std::string error_text = error_of<error>([&] { send<&point<2>::value>(points[wrong], 1); });
      EXPECT_NE(error_text.find(to_string(wrong)), std::string::npos) << error_text;
      EXPECT_NE(error_text.find("(3, 4)"), std::string::npos) << error_text;
    }
    co_return;
  });
}

TEST_P(arrays, a_shape_that_cannot_be_is_refused) {
  run([]() -> task<> {
    const std::string text = error_of<error>([&] { make_array<point<2>>({-1, 4}, 1); });
    EXPECT_TRUE(
        text.starts_with("an array of point<2> cannot have the shape (-1, 4): each extent must be 0 "
                         "or more, and there may be 2^40 elements at most"))
        << text;
    EXPECT_THROW(make_array<point<2>>({4, -1}, 1), error);
    EXPECT_THROW(make_array<point<3>>({1 << 30, 1 << 30, 1 << 30}, 1), error);
    co_return;
  });
}

class late : public chare<late, index<2>> {
 public:
  explicit late(std::string name) : name_(std::move(name)) {}
  std::string name() const { return name_; }
  void finish() { destroy(); }

 private:
  std::string name_;
};

TEST_P(arrays, elements_are_inserted_and_destroyed_while_running) {
  run([]() -> task<> {
    auto cells = make_array<late>(sparse(index<2>(1000, 1000)));
    auto early = cells[{999, 5}].call<&late::name>();  // waits for the insertion
    cells.insert({999, 5}, std::string("first"));
    cells.insert({0, 0}, std::string("second"));
    const std::string name = co_await early;
    EXPECT_EQ(name, "first");
    co_await quiescence();
    const auto names = co_await cells.reduce<&late::name>(gather);
    EXPECT_EQ(names, (std::vector<std::string>{"second", "first"}));

    cells[{999, 5}].destroy();
    co_await quiescence();
    const auto left = co_await cells.reduce<&late::name>(gather);
    EXPECT_EQ(left, std::vector<std::string>{"second"});
    const std::string refusal = co_await awaited_error_of<error>(cells[{999, 5}].call<&late::name>());
    EXPECT_NE(refusal.find("destroyed"), std::string::npos) << refusal;

    cells.insert({999, 5}, std::string("again"));
    co_await quiescence();
    const std::string again = co_await cells[{999, 5}].call<&late::name>();
    EXPECT_EQ(again, "again");
    send<&late::finish>(cells);
    co_await quiescence();
    co_await cells.call<&late::finish>();
    const std::string nobody = co_await awaited_error_of<error>(cells.reduce<&late::name>(gather));
    EXPECT_NE(nobody.find("empty"), std::string::npos) << nobody;
  });
}

struct coordinates {
  int x = 0;
  std::string name;
  bool operator==(const coordinates&) const = default;
};
enum class colour { red, green, blue };

template <class Key>
class keyed_chare : public chare<keyed_chare<Key>, Key> {
 public:
  explicit keyed_chare(int value) : value_(value) {}
  Key key() const { return this->where(); }
  int value() const { return value_; }
  void finish() { this->destroy(); }

 private:
  int value_;
};

template <class Key>
task<> use_keys(std::vector<Key> keys) {
  using type = keyed_chare<Key>;
  auto all = make_array<type>();
  int expected = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    all.insert(keys[i], static_cast<int>(i) + 1);
    expected += static_cast<int>(i) + 1;
  }
  for (const Key& k : keys) {
    const Key got = co_await all[k].template call<&type::key>();
    EXPECT_TRUE(got == k);
  }
  co_await quiescence();
  const int total = co_await all.template reduce<&type::value>(sum);
  EXPECT_EQ(total, expected);
  all[keys.front()].destroy();
  co_await quiescence();
  const int rest = co_await all.template reduce<&type::value>(sum);
  EXPECT_EQ(rest, expected - 1);
}

/// Inserts into an array that may not exist on its PE yet.
class inserter : public chare<inserter> {
 public:
  void insert(array<late> into) {
    for (int i = 0; i < 10; ++i) into.insert({where()[0], i}, std::to_string(10 * where()[0] + i));
  }
};

TEST_P(arrays, elements_inserted_before_the_array_has_come_are_where_messages_find_them) {
  run([]() -> task<> {
    const auto inserters = make_group<inserter>();
    const int rows = inserters.size();
    for (int round = 0; round < 5; ++round) {
      const auto cells = make_array<late>(sparse(index<2>(rows, 10)).placed(round_robin));
      send<&inserter::insert>(inserters, cells);
      for (int row = 0; row < rows; ++row)
        for (int i = 0; i < 10; ++i) {
          const std::string name = co_await cells[{row, i}].call<&late::name>();
          EXPECT_EQ(name, std::to_string(10 * row + i));
        }
    }
  });
}

TEST_P(arrays, have_keys_of_the_users) {
  run([]() -> task<> {
    // The lists are variables since g++ 14 fails on an initialiser list in one expression with co_await.
    const std::vector<std::string> texts{"", "one", "two", std::string(300, 'x'), std::string("\0z", 2)};
    const std::vector<coordinates> places{{1, "a"}, {1, "b"}, {-7, "a"}};
    const std::vector<long> numbers{0, -1, 1L << 60, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    const std::vector<colour> colours{colour::blue, colour::red};
    const std::vector<std::pair<int, int>> pairs{{1, 2}, {2, 1}, {0, 0}};
    co_await use_keys(texts);
    co_await use_keys(places);
    co_await use_keys(numbers);
    co_await use_keys(colours);
    co_await use_keys(pairs);
  });
}

class member : public chare<member> {
 public:
  int value() const { return where()[0]; }
  int on() const { return pe(); }
  void note() { ++notes_; }
  int notes() const { return notes_; }
  int notes_of_neighbour_on_this_pe(group<member> all) { return all.local()->notes_; }

 private:
  int notes_ = 0;
};

TEST_P(arrays, groups_have_one_chare_on_each_pe) {
  run([]() -> task<> {
    auto all = make_group<member>();
    EXPECT_EQ(all.size(), num_pes());
    const auto values = co_await all.reduce<&member::value>(gather);
    const auto pes = co_await all.reduce<&member::on>(gather);
    EXPECT_EQ(values.size(), static_cast<std::size_t>(num_pes()));
    EXPECT_EQ(values, pes);
    EXPECT_EQ(all.local(), all.local());
    EXPECT_EQ(all.local()->value(), pe());
    send<&member::note>(all);
    co_await quiescence();
    co_await all.call<&member::note>();
    const int notes = co_await all.reduce<&member::notes>(min);
    EXPECT_EQ(notes, 2);
    const int last = num_pes() - 1;
    const int direct = co_await all[last].call<&member::notes_of_neighbour_on_this_pe>(all);
    EXPECT_EQ(direct, 2);
  });
}

TEST_P(arrays, sections_reach_their_members_only) {
  run([]() -> task<> {
    auto all = make_array<member>({12});
    auto part = all.section({index<1>(9), index<1>(2), index<1>(2), index<1>(5)});
    const auto values = co_await part.reduce<&member::value>(gather);
    EXPECT_EQ(values, (std::vector<int>{2, 5, 9}));
    send<&member::note>(part);
    co_await part.call<&member::note>();
    co_await quiescence();
    const auto notes = co_await all.reduce<&member::notes>(gather);
    EXPECT_EQ(notes, (std::vector<int>{0, 0, 2, 0, 0, 2, 0, 0, 0, 2, 0, 0}));
    EXPECT_THROW(all.section({index<1>(12)}), error);
  });
}

TEST_P(arrays, and_sections_may_be_empty) {
  run([]() -> task<> {
    const auto none = make_array<member>(0);
    EXPECT_EQ(none.size(), 0U);
    EXPECT_THROW(static_cast<void>(none[0]), error);
    const auto placed = make_array<member>(dense(0).placed(round_robin));
    const auto some = make_array<member>(3);
    const std::vector<index<1>> nobody;
    const auto no_part = some.section(nobody);
    const auto part_of_none = none.section(nobody);
    co_await none.created();
    send<&member::note>(none);
    send<&member::note>(no_part);
    send<&member::note>(part_of_none);
    co_await none.call<&member::note>();
    co_await placed.call<&member::note>();
    co_await no_part.call<&member::note>();
    co_await part_of_none.call<&member::note>();
    co_await quiescence();
    const auto of_none = co_await awaited_error_of<error>(none.reduce<&member::value>(sum));
    const auto of_no_part = co_await awaited_error_of<error>(no_part.reduce<&member::value>(sum));
    const auto gathered = co_await awaited_error_of<error>(part_of_none.reduce<&member::value>(gather));
    for (const std::string& refusal : {of_none, of_no_part, gathered})
      EXPECT_NE(refusal.find("a reduction over no elements: the array or section of member is empty"),
                std::string::npos)
          << refusal;
    const auto notes = co_await some.reduce<&member::notes>(sum);
    EXPECT_EQ(notes, 0);
    co_await none.destroy();
    co_await placed.destroy();
  });
}

/// Makes a section of an array that may not exist on its PE yet.
class cutter : public chare<cutter> {
 public:
  task<int> cut(array<member> all) {
    const auto ends = all.section({index<1>(0), index<1>(3)});
    send<&member::note>(ends);
    co_return co_await ends.reduce<&member::value>(sum);
  }
};

TEST_P(arrays, sections_are_made_also_before_the_array_has_come) {
  run([]() -> task<> {
    const auto cutters = make_group<cutter>();
    for (int round = 0; round < 5; ++round) {
      const auto all = make_array<member>(4);
      const int values = co_await cutters.reduce<&cutter::cut>(sum, all);
      EXPECT_EQ(values, 3 * num_pes());
      co_await quiescence();
      const auto notes = co_await all.reduce<&member::notes>(gather);
      EXPECT_EQ(notes, (std::vector<int>{num_pes(), 0, 0, num_pes()}));
    }
  });
}

TEST_P(arrays, sections_of_different_arrays_differ) {
  run([]() -> task<> {
    auto a = make_array<member>({4});
    auto b = make_array<member>({4});
    EXPECT_NE(a.section({index<1>(1)}), b.section({index<1>(1)}));
    auto s = a.section({index<1>(1)});
    EXPECT_EQ(s, s.with_priority(3));
    co_return;
  });
}

struct address_book {
  element<member> one;
  array<member> all;
  section<member> some;
  group<member> everywhere;
  std::optional<element<member>> none;
};

class postman : public chare<postman> {
 public:
  task<int> deliver(address_book to) {
    const int one = co_await to.one.call<&member::value>();
    const int all = co_await to.all.reduce<&member::value>(sum);
    const int some = co_await to.some.reduce<&member::value>(sum);
    const int everywhere = co_await to.everywhere.reduce<&member::value>(sum);
    co_return one * 1'000'000 + all * 10'000 + some * 100 + everywhere;
  }
};

TEST_P(arrays, proxies_are_values_that_travel) {
  run([]() -> task<> {
    auto members = make_array<member>({6});
    auto postmen = make_array<postman>({3});
    const address_book book{members[4], members, members.section({index<1>(1), index<1>(3)}),
                            make_group<member>(), std::nullopt};
    const int expected = 4'150'400 + num_pes() * (num_pes() - 1) / 2;
    for (int i = 0; i < 3; ++i) {
      const int got = co_await postmen[i].call<&postman::deliver>(book);
      EXPECT_EQ(got, expected);
    }
    std::set<element<member>> ordered{members[3], members[1], members[3]};
    EXPECT_EQ(ordered.size(), 2U);
    EXPECT_EQ(*ordered.begin(), members[1]);
    EXPECT_EQ(std::hash<element<member>>()(members[3]), std::hash<element<member>>()(members[3]));
    const array<member> copy = members;
    EXPECT_EQ(copy, members);
    EXPECT_NE(array<member>(), members);
    EXPECT_NE(element<member>(), members[0]);
  });
}

class fibonacci : public chare<fibonacci> {
 public:
  task<int> compute(int n) {
    if (n < 2) co_return n;
    auto a = make_chare<fibonacci>();
    auto b = make_chare<fibonacci>();
    auto x = a.call<&fibonacci::compute>(n - 1);
    auto y = b.call<&fibonacci::compute>(n - 2);
    const int first = co_await x;
    const int second = co_await y;
    a.destroy();
    b.destroy();
    co_return first + second;
  }
  int on() const { return pe(); }
};

TEST_P(arrays, single_chares_come_and_go) {
  run([]() -> task<> {
    auto f = make_chare<fibonacci>();
    const int result = co_await f.call<&fibonacci::compute>(10);
    EXPECT_EQ(result, 55);
    for (int p = 0; p < num_pes(); ++p) {
      const int on = co_await make_chare_on<fibonacci>(p).call<&fibonacci::on>();
      EXPECT_EQ(on, p);
    }
    EXPECT_THROW(make_chare_on<fibonacci>(num_pes()), error);
    EXPECT_THROW(make_chare_on<fibonacci>(-1), error);
  });
}

struct to_last_pe {
  int operator()(const index<2>&, const index<2>&, int pes) const { return pes - 1; }
};
struct to_no_pe {
  int operator()(const index<2>&, const index<2>&, int pes) const { return pes; }
};

class placed : public chare<placed, index<2>> {
 public:
  int on() const { return pe(); }
};

TEST_P(arrays, are_placed_by_block_round_robin_or_function) {
  run([]() -> task<> {
    const int n = num_pes();
    const index<2> shape(5, 7);
    auto blocks = make_array<placed>(shape);
    const auto by_block = co_await blocks.reduce<&placed::on>(gather);
    EXPECT_TRUE(std::is_sorted(by_block.begin(), by_block.end()));
    for (int p = 0; p < n; ++p) {
      const auto count = std::count(by_block.begin(), by_block.end(), p);
      EXPECT_GE(count, 35 / n);
      EXPECT_LE(count, 35 / n + 1);
    }
    auto dealt = make_array<placed>(dense(shape).placed(round_robin));
    const auto by_turns = co_await dealt.reduce<&placed::on>(gather);
    for (int l = 0; l < 35; ++l) EXPECT_EQ(by_turns[static_cast<std::size_t>(l)], l % n);
    auto functions = make_array<placed>(dense(shape).placed(to_last_pe{}));
    const auto by_function = co_await functions.reduce<&placed::on>(min);
    EXPECT_EQ(by_function, n - 1);
    auto lambda = make_array<placed>(
        dense(shape).placed([](const index<2>& i, const index<2>&, int pes) { return i[1] % pes; }));
    const auto by_lambda = co_await lambda[{4, 6}].call<&placed::on>();
    EXPECT_EQ(by_lambda, 6 % n);
  });
}

TEST(homes, of_all_keys_are_pes_and_where_the_elements_are_made) {
  random dice(7);
  for (int turn = 0; turn < 300; ++turn) {
    const auto up_to = [&dice](std::uint64_t most) { return static_cast<int>(dice() % most) + 1; };
    const index<2> shape(up_to(turn % 2 == 0 ? 9 : 2'000'000'000), up_to(turn % 2 == 0 ? 9 : 500));
    const int pes = up_to(17);
    const auto home = [&](std::uint64_t key) {
      return detail::home_of<index<2>, block_placement>(key, shape, pes);
    };
    if (detail::volume(shape) < 100)
      for (int pe = 0; pe < pes; ++pe)
        detail::for_each_on<block_placement, index<2>>(shape, pe, pes,
                                                       [&](std::uint64_t l) { EXPECT_EQ(home(l), pe); });
    EXPECT_EQ(home(detail::volume(shape) - 1), pes - 1);
    for (int n = 0; n < 20; ++n) {  // also keys that a foreign process has invented
      const int pe = home(dice() >> (dice() % 64));
      EXPECT_TRUE(pe >= 0 && pe < pes) << pe;
      const int dealt = detail::home_of<index<2>, round_robin_placement>(dice(), shape, pes);
      EXPECT_TRUE(dealt >= 0 && dealt < pes) << dealt;
    }
  }
}

// Each of these two classes keeps proxies of the other: `bond` is only declared when `atom` is defined.
class atom : public chare<atom> {
 public:
  void join(array<bond> bonds, element<bond> own) {
    bonds_ = bonds;
    own_ = own;
  }
  task<int> neighbour() const;
  int place() const { return where()[0]; }

 private:
  array<bond> bonds_;
  element<bond> own_;
};

class bond : public chare<bond, index<2>> {
 public:
  explicit bond(array<atom> atoms) : atoms_(atoms) {}
  task<int> other_end() const {
    const int place = co_await atoms_[where()[1]].call<&atom::place>();
    co_return place;
  }

 private:
  array<atom> atoms_;
};

task<int> atom::neighbour() const {
  const int found = co_await own_.call<&bond::other_end>();
  const int same = co_await bonds_[{where()[0], (where()[0] + 1) % 5}].call<&bond::other_end>();
  co_return found == same ? found : -1;
}

TEST_P(arrays, of_two_classes_may_keep_proxies_of_each_other) {
  run([]() -> task<> {
    auto atoms = make_array<atom>(5);
    auto bonds = make_array<bond>({5, 5}, atoms);
    for (int i = 0; i < 5; ++i) co_await atoms[i].call<&atom::join>(bonds, bonds[{i, (i + 1) % 5}]);
    const auto found = co_await atoms.reduce<&atom::neighbour>(gather);
    EXPECT_EQ(found, (std::vector<int>{1, 2, 3, 4, 0}));
  });
}

class numbered : public chare<numbered> {
 public:
  mailbox<int> in;
  int who() const { return where()[0]; }
  void stay(std::int64_t to) { migrate_to(to); }
  task<int> take() {
    const int value = co_await in.receive(std::uint8_t{7});
    co_return value;
  }
  void serialize(auto& ar) { ar(in); }
};
class by_key : public chare<by_key, int> {
 public:
  int who() const { return where(); }
};
class by_short_key : public chare<by_short_key, std::uint16_t> {
 public:
  int who() const { return where(); }
};
/// A placement whose result is no int, and out of range of int.
struct far_away {
  std::int64_t operator()(const int&, int) const { return std::int64_t{1} << 32; }
};

TEST_P(arrays, refuse_numbers_that_do_not_fit) {
  run([]() -> task<> {
    constexpr std::int64_t wide = (std::int64_t{1} << 32) + 2;
    const auto refused = [](const char* text, const auto& use) {
      const std::string error_text = error_of<error>(use);
      EXPECT_NE(error_text.find(text), std::string::npos) << error_text;
    };
    const auto all = make_array<numbered>(4);
    const auto keyed_ones = make_array<by_key>();
    const auto each = make_group<numbered>();
    refused("the index or extent 4294967298 does not fit", [&] { all[wide]; });
    refused("the index or extent 4294967298 does not fit", [&] { all[std::uint64_t{wide}]; });
    refused("the index or extent 4294967295 does not fit", [&] { all[4294967295U]; });
    refused("the index or extent 4294967298 does not fit", [&] { index<3>(1, wide, 2); });
    refused("the index or extent 4294967298 does not fit", [&] { make_array<numbered>(wide); });
    refused("the index or extent 4294967298 does not fit", [&] { make_array<numbered>(dense(wide)); });
    refused("the index or extent 4294967298 does not fit", [&] { make_array<numbered>(sparse(wide)); });
    refused("the key 4294967298 does not fit", [&] { keyed_ones[wide]; });
    refused("the key 4294967298 does not fit", [&] { keyed_ones.insert(wide); });
    refused("the key -1 does not fit: it must be from 0 to 65535", [&] { make_array<by_short_key>()[-1]; });
    refused("the number of a PE 4294967298 does not fit", [&] { each[wide]; });
    refused("the number of a PE 4294967298 does not fit", [&] { make_chare_on<numbered>(wide); });
    refused("the priority 4294967298 does not fit", [&] { static_cast<void>(all[0].with_priority(wide)); });
    refused("the priority 4294967298 does not fit", [&] { static_cast<void>(all.with_priority(wide)); });
    refused("the priority 4294967298 does not fit", [&] { static_cast<void>(with_priority(wide)); });
    refused("the exit status 4294967298 does not fit", [&] { imbrex::exit(wide); });
    refused("the reference number 18446744073709551615 does not fit",
            [&] { send<&numbered::in>(all[3], ~std::uint64_t{0}, 1); });
    mailbox<int> box;
    refused("the reference number 9223372036854775808 does not fit",
            [&] { static_cast<void>(box.has(std::uint64_t{1} << 63U)); });
    refused("gave a PE that does not exist: 4294967296 does not fit",
            [&] { make_array<by_key>(keyed<int>().placed(far_away{})).insert(1); });
    EXPECT_THROW(co_await all[1].call<&numbered::stay>(wide), error);

    const auto taken = all[std::uint16_t{3}].call<&numbered::take>();
    send<&numbered::in>(all[3L], 7UL, 8);
    const int value = co_await taken;
    EXPECT_EQ(value, 8);
    keyed_ones.insert(std::int64_t{5});
    const int key = co_await keyed_ones[5LL].call<&by_key::who>();
    EXPECT_EQ(key, 5);
  });
}

}  // namespace imbrex::arrays_test
