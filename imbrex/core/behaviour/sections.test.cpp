// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/section.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>
#include <imbrex/core/name/indices.hpp>
#include <imbrex/core/name/operations.hpp>

namespace imbrex {
namespace {

class sections : public on_machine {};

/// Reports its location, and counts calls.
template <int N>
class place : public chare<place<N>, index<N>> {
 public:
  index<N> at() { return this->where(); }
  int first() { return this->where()[0]; }
  std::string text() { return to_string(this->where()) + ";"; }
  /// Returns as many values as its first index.
  std::vector<int> many() { return std::vector<int>(static_cast<std::size_t>(this->where()[0]), 7); }
  void count() { ++count_; }
  int counted() { return count_; }
  task<int> counted_later() {
    const int now = count_;
    co_await sleep_for(nanoseconds(10));
    co_return now;
  }
  void move_to(int pe) { this->migrate_to(pe); }
  int fail(int who) {
    if (this->where()[0] == who) throw std::runtime_error("thrown by " + std::to_string(who));
    return 1;
  }
  void serialize(auto& ar) { ar(count_); }

 private:
  int count_ = 0;
};

/// The indices of an array's shape for which a predicate holds.
template <int N>
std::vector<index<N>> chosen(const index<N>& shape, const std::function<bool(const index<N>&)>& holds) {
  std::vector<index<N>> some;
  for (const auto i : indices(shape))
    if (holds(i)) some.push_back(i);
  return some;
}

TEST_P(sections, are_slices_of_each_dimension) {
  run([]() -> task<> {
    const index3 shape{4, 5, 6};
    const auto cube = make_array<place<3>>(shape);
    const auto members = [](const section<place<3>>& some) { return some.reduce<&place<3>::at>(gather); };
    const auto plane = co_await members(cube.section(full_extent, 2, full_extent));
    EXPECT_EQ(plane, chosen<3>(shape, [](const index3& i) { return i[1] == 2; }));
    const auto row = co_await members(cube.section(3, 4, full_extent));
    EXPECT_EQ(row, chosen<3>(shape, [](const index3& i) { return i[0] == 3 && i[1] == 4; }));
    const auto box = co_await members(cube.section(std::pair{1, 4}, std::pair{0, 2}, 5));
    EXPECT_EQ(box, chosen<3>(shape, [](const index3& i) { return i[0] >= 1 && i[1] < 2 && i[2] == 5; }));
    const strided_slice odd_ones{.offset = 1, .extent = 4, .stride = 2};
    const auto strided = co_await members(cube.section(full_extent, odd_ones, std::tuple{2, 3}));
    EXPECT_EQ(strided, chosen<3>(shape, [](const index3& i) { return i[1] % 2 == 1 && i[2] == 2; }));
    const auto all = co_await members(cube.section(full_extent, full_extent, full_extent));
    EXPECT_EQ(all.size(), 120U);
  });
}

TEST_P(sections, of_nothing_are_sections_too) {
  run([]() -> task<> {
    const auto line = make_array<place<1>>(9);
    const auto none = line.section(std::pair{4, 4});
    send<&place<1>::count>(none);
    co_await none.call<&place<1>::count>();
    const std::string text = co_await awaited_error_of<error>(none.reduce<&place<1>::first>(sum));
    EXPECT_NE(text.find("a reduction over no elements"), std::string::npos) << text;
  });
}

TEST_P(sections, refuse_slices_that_are_not_within_the_shape) {
  run([]() -> task<> {
    const auto grid = make_array<place<2>>(index2{4, 5});
    EXPECT_NE(error_of<error>([&] { return grid.section(4, full_extent); })
                  .find("the slice of dimension 0 is from 4 to before 5; it must lie within 0 to before 4, "
                        "the extent"),
              std::string::npos);
    EXPECT_NE(error_of<error>([&] {
                return grid.section(full_extent, std::pair{3, 6});
              }).find("dimension 1 is from 3 to before 6"),
              std::string::npos);
    EXPECT_NE(error_of<error>([&] { return grid.section(0, std::pair{3, 2}); }).find("from 3 to before 2"),
              std::string::npos);
    EXPECT_NE(error_of<error>([&] { return grid.section(-1, full_extent); }).find("from -1 to before 0"),
              std::string::npos);
    EXPECT_NE(error_of<error>([&] {
                return grid.section(0, strided_slice{.offset = 0, .extent = 5, .stride = 0});
              }).find("has a stride of 0; the least is 1"),
              std::string::npos);
    EXPECT_NE(error_of<error>([&] {
                return grid.section(std::int64_t{1} << 40, full_extent);
              }).find("1099511627776"),
              std::string::npos);
    co_return;
  });
}

TEST_P(sections, are_called_once_each_wherever_their_members_are) {
  run([]() -> task<> {
    std::mt19937 random(7);
    const index2 shape{6, 7};
    const auto grid = make_array<place<2>>(shape);
    std::vector<int> expected(42);
    for (int round = 0; round < 12; ++round) {
      for (int m = 0; m < 8; ++m) {
        const index2 who{static_cast<int>(random() % 6), static_cast<int>(random() % 7)};
        send<&place<2>::move_to>(grid[who], static_cast<int>(random() % static_cast<unsigned>(num_pes())));
      }
      const int row = static_cast<int>(random() % 6);
      const int first = static_cast<int>(random() % 7);
      const int stride = static_cast<int>(random() % 3) + 1;
      const auto some = grid.section(std::pair{row, 6}, strided_slice{first, 7 - first, stride});
      int members = 0;
      for (const auto i : indices(shape)) {
        if (i[0] < row || i[1] < first || (i[1] - first) % stride != 0) continue;
        ++expected.at(static_cast<std::size_t>(i[0] * 7 + i[1]));
        ++members;
      }
      co_await some.call<&place<2>::count>();
      const auto seen = co_await some.reduce<&place<2>::counted>(gather);
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(members));
      const int later = co_await some.reduce<&place<2>::counted_later>(imbrex::min);
      EXPECT_GE(later, 1);
    }
    const auto counts = co_await grid.reduce<&place<2>::counted>(gather);
    EXPECT_EQ(counts, expected);
  });
}

TEST_P(sections, keep_the_order_of_their_members) {
  run([]() -> task<> {
    const auto grid = make_array<place<2>>(index2{9, 3});
    for (const int from : {0, 3, 8}) {
      std::string expected;
      for (int i = from; i < 9; ++i) expected += to_string(index2{i, 1}) + ";";
      const std::string text =
          co_await grid.section(std::pair{from, 9}, 1)
              .reduce<&place<2>::text>([](const std::string& a, const std::string& b) { return a + b; });
      EXPECT_EQ(text, expected);
    }
  });
}

TEST_P(sections, and_arrays_gather_values_of_different_lengths) {
  run([]() -> task<> {
    const auto line = make_array<place<1>>(9);
    const auto all = co_await line.reduce<&place<1>::many>(gather);
    const auto some = co_await line.section(strided_slice{.offset = 1, .extent = 8, .stride = 3})
                          .reduce<&place<1>::many>(gather);
    EXPECT_EQ(all.size(), 9U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::vector<int>(i, 7));
    EXPECT_EQ(some, (std::vector<std::vector<int>>{{7}, std::vector<int>(4, 7), std::vector<int>(7, 7)}));
  });
}

TEST_P(sections, pass_on_what_a_member_throws) {
  run([]() -> task<> {
    const auto line = make_array<place<1>>(20);
    for (const int who : {2, 11, 19}) {
      const std::string text = co_await awaited_error_of<std::runtime_error>(
          [&] { return line.section(std::pair{2, 20}).reduce<&place<1>::fail>(sum, who); });
      EXPECT_EQ(text, "thrown by " + std::to_string(who));
    }
    const int good = co_await line.section(full_extent).reduce<&place<1>::fail>(sum, -1);
    EXPECT_EQ(good, 20);
  });
}

/// Each member makes its own section of the same members.
class maker : public chare<maker> {
 public:
  task<int> reduce() {
    const auto own_section = peers().section(std::pair{0, 2});
    co_return co_await all_reduce(own_section, 1, sum);
  }
};

TEST_P(sections, that_each_member_makes_are_told_of_in_a_deadlock) {
  for (const options& settings : GetParam().runs) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(
        run_once(settings, []() -> task<> { co_await make_array<maker>(2).reduce<&maker::reduce>(sum); }), 1);
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("an all_reduce over a section of the array of maker waits for "), std::string::npos)
        << text;
    EXPECT_NE(text.find("each call of section makes another section"), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(on, sections, ::testing::ValuesIn(machines()), name_of_machine);

/// Each list of PEs is cut into at most four parts that are not empty; no part contains PEs on both sides of
/// the PE's own position.
TEST(section_parts, cover_both_sides) {
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t behind = 0; behind < 40; ++behind) {
      const auto ends = detail::section_parts(before, behind);
      EXPECT_LE(ends.size(), 4U);
      EXPECT_EQ(ends.empty() ? 0 : ends.back(), before + behind);
      EXPECT_TRUE(std::ranges::is_sorted(ends, std::less_equal<>())) << before << " and " << behind;
      if (!ends.empty()) EXPECT_GT(ends.front(), 0U);
      if (before > 0) EXPECT_NE(std::ranges::find(ends, before), ends.end());
    }
  }
}

}  // namespace
}  // namespace imbrex
