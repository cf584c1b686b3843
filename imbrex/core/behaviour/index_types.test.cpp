// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::index_types_test {

/// An index whose number of dimensions is known at run time only.
struct place {
  int dimensions = 1;
  std::array<int, 3> values{};

  place() = default;
  place(int i) : values{i} {}
  place(std::initializer_list<int> all) : dimensions(static_cast<int>(all.size())) {
    std::copy(all.begin(), all.end(), values.begin());
  }
  int operator[](int d) const { return values[static_cast<std::size_t>(d)]; }
  int& operator[](int d) { return values[static_cast<std::size_t>(d)]; }
  bool operator==(const place&) const = default;
  void serialize(auto& ar) { ar(dimensions, values); }
};

std::string to_string(const place& p) {
  std::string text = "<";
  for (int d = 0; d < p.dimensions; ++d) text += (d > 0 ? " " : "") + std::to_string(p[d]);
  return text + ">";
}

}  // namespace imbrex::index_types_test

template <>
inline constexpr bool imbrex::enable_index<imbrex::index_types_test::place> = true;

namespace imbrex::index_types_test {

class index_types : public on_machine {};
INSTANTIATE_TEST_SUITE_P(on, index_types, ::testing::ValuesIn(machines()), name_of_machine);

class tile : public chare<tile, place> {
 public:
  place at() const { return where(); }
  int on() const { return pe(); }
  void go(int to) { migrate_to(to); }
  void serialize(auto&) {}
};

task<> visit(place shape, std::vector<place> expected) {
  const auto all = make_array<tile>(shape);
  EXPECT_EQ(all.size(), expected.size());
  const auto places = co_await all.reduce<&tile::at>(gather);
  EXPECT_EQ(places, expected);
  const auto last = all[expected.back()];
  send<&tile::go>(last, num_pes() - 1);
  co_await quiescence();
  const int moved_to = co_await last.call<&tile::on>();
  EXPECT_EQ(moved_to, num_pes() - 1);
  const auto after_its_move = co_await last.call<&tile::at>();
  EXPECT_EQ(after_its_move, expected.back());
}

TEST_P(index_types, may_have_their_number_of_dimensions_at_run_time) {
  run([]() -> task<> {
    co_await visit({3}, {{0}, {1}, {2}});
    co_await visit({2, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    co_await visit({2, 1, 2}, {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}});
  });
}

TEST_P(index_types, of_that_kind_serve_sparse_arrays_sections_groups_and_single_chares) {
  run([]() -> task<> {
    const auto some = make_array<tile>(sparse(place{1000, 1000}));
    some.insert({999, 5});
    some.insert({7, 0});
    co_await quiescence();
    const auto one = co_await some.section({{999, 5}}).reduce<&tile::at>(gather);
    EXPECT_EQ(one, std::vector<place>({{999, 5}}));
    const auto both = co_await some.reduce<&tile::at>(gather);
    EXPECT_EQ(both, std::vector<place>({{7, 0}, {999, 5}}));
    const auto group = make_group<tile>();
    const int pe = co_await group[num_pes() - 1].call<&tile::on>();
    EXPECT_EQ(pe, num_pes() - 1);
    const auto single = make_chare_on<tile>(num_pes() - 1);
    const int there = co_await single.call<&tile::on>();
    EXPECT_EQ(there, num_pes() - 1);
  });
}

TEST_P(index_types, of_that_kind_are_shown_by_their_own_text) {
  run([]() -> task<> {
    const auto all = make_array<tile>(place{3, 4});
    const auto text_of_error = [](const auto& refused) {
      try {
        refused();
      } catch (const error& e) {
        return std::string(e.what());
      }
      return std::string("nothing was thrown");
    };
    const std::string outside = text_of_error([&all] { send<&tile::go>(all[{3, 0}], 0); });
    EXPECT_NE(outside.find("<3 0>"), std::string::npos) << outside;
    EXPECT_NE(outside.find("<3 4>"), std::string::npos) << outside;
    const std::string below = text_of_error([] { make_array<tile>(place{2, -1}); });
    EXPECT_NE(below.find("<2 -1>"), std::string::npos) << below;
    co_return;
  });
}

}  // namespace imbrex::index_types_test
