// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/halo.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <imbrex/core/behaviour/machines.test.hpp>

namespace imbrex::grid::halo_errors_test {

class grid_halo_errors : public on_machine {
 protected:
  /// Runs a program that must fail, and expects each of these texts in its output.
  template <class Main>
  void fails(const Main& main, const std::vector<std::string>& expected) {
    for (const options& how : GetParam().runs) {
      SCOPED_TRACE(text_of(how));
      ::testing::internal::CaptureStderr();
      EXPECT_EQ(run_once(how, main), 1);
      const std::string text = ::testing::internal::GetCapturedStderr();
      for (const auto& e : expected)
        EXPECT_NE(text.find(e), std::string::npos) << e << "\nis not in\n" << text;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(on, grid_halo_errors,
                         ::testing::ValuesIn(machines({"threads_2", "serialized", "shuffled_3",
                                                       "deterministic_5", "simulated"})),
                         name_of_machine);

class block : public chare<block, index<2>> {
 public:
  grid::halo<field<int, 2>> halo;
  grid::halo<field<int, 2>> other;

  block() = default;
  explicit block(const decomposition<2>& cut) : cut_(cut) {}

  /// Text of the error that connecting throws.
  std::string complaint_of_connect(const decomposition<2>& cut, const boundaries<2>& ends) {
    return error_of<error>([&] { halo.connect<&block::halo>(*this, cut, ends); });
  }
  std::string complaint_of_another_port() {
    return error_of<error>([&] { halo.connect<&block::other>(*this, cut_); });
  }
  void connect(const boundaries<2>& ends, sides which) {
    halo.connect<&block::halo>(*this, cut_, ends, which);
  }

  /// Exchanges these steps, with `width` ghost layers. Returns the text of the error.
  task<std::string> exchange(std::vector<int> steps, int width) {
    field<int, 2> u(cut_[where()].extents, width);
    std::string text;
    try {
      for (const int step : steps) co_await halo.exchange(u, step);
    } catch (const error& e) {
      text = e.what();
    }
    co_return text;
  }
  std::string begin_with(const index2& extents, int width, std::vector<int> steps) {
    field<int, 2> u(extents, width);
    return error_of<error>([&] {
      for (const int step : steps) halo.begin(u, step);
    });
  }
  std::string end() {
    field<int, 2> u(cut_[where()].extents);
    return error_of<error>([&] { static_cast<void>(halo.end(u)); });
  }
  task<std::string> await_end() {
    field<int, 2> u(cut_[where()].extents);
    const std::string text = co_await awaited_error_of<error>(halo.end(u));
    co_return text;
  }
  task<std::vector<std::string>> await_end_twice() {
    auto both = co_await when_all(await_end(), await_end());
    co_return std::vector<std::string>{std::get<0>(both), std::get<1>(both)};
  }
  task<> run(int steps) {
    field<int, 2> u(cut_[where()].extents);
    for (int step = 0; step < steps; ++step) co_await halo.exchange(u, step);
  }

  void serialize(auto& ar) { ar(halo, other, cut_); }

 private:
  decomposition<2> cut_;
};

TEST_P(grid_halo_errors, of_connecting_name_the_value) {
  run([]() -> task<> {
    const decomposition<2> cut({7, 6}, {2, 2});
    const auto all = make_array<block>(cut.shape(), cut);
    auto of_connect = [&](const decomposition<2>& other, const boundaries<2>& ends) {
      return all[{0, 1}].call<&block::complaint_of_connect>(other, ends);
    };
    const auto of_shape = co_await of_connect(decomposition<2>({7, 6}, {2, 3}), {});
    EXPECT_EQ(
        of_shape,
        "a halo needs a block for each element: the array has the shape (2, 2), and the decomposition (2, 3) "
        "blocks");
    boundaries<2> half;
    half.set(side<2>(3), boundary::periodic);
    const auto of_end = co_await of_connect(cut, half);
    EXPECT_EQ(
        of_end,
        "dimension 1 is periodic at one end only: set both ends, by boundaries::set(1, boundary::periodic)");
    const auto of_port = co_await all[{0, 0}].call<&block::complaint_of_another_port>();
    EXPECT_EQ(of_port,
              "connect of a halo names another port, or a port of another chare: name the halo itself");
    const auto unconnected = co_await all[{0, 0}].call<&block::begin_with>(index2(4, 3), 1, std::vector{1});
    EXPECT_EQ(unconnected,
              "a halo is not connected: call halo.connect<&block::halo>(*this, ...) in the constructor");
  });
}

TEST(grid_boundaries, refuse_what_is_no_face) {
  EXPECT_EQ(error_of<error>([] { boundaries<2>().set(side<2>(4), boundary::open); }),
            "side 4 is an edge or a corner: boundaries are those of the faces, 0 to 3");
  EXPECT_EQ(error_of<error>([] { boundaries<2>().set(2, boundary::open); }),
            "there is no dimension 2: the grid has 2");
  const boundaries<3> around(periodic<3>{true, false, true});
  EXPECT_EQ(around[side<3>(4)], boundary::periodic);
  EXPECT_EQ(around[side<3>(3)], boundary::open);
}

TEST_P(grid_halo_errors, of_fields_and_steps_name_the_value) {
  run([]() -> task<> {
    const decomposition<2> cut({7, 6}, {2, 2});
    const auto all = make_array<block>(cut.shape(), cut);
    co_await all.call<&block::connect>(boundaries<2>(), sides::faces);
    const auto begin = [&](const index2& extents, int width, std::vector<int> steps) {
      return all[{1, 0}].call<&block::begin_with>(extents, width, std::move(steps));
    };
    const auto of_extents = co_await begin({4, 3}, 1, {1});
    EXPECT_EQ(of_extents,
              "field 0 of an exchange has the extents (4, 3), and block (1, 0) of the decomposition (3, 3): "
              "make it with cut[where()].extents");
    const auto of_width = co_await begin({3, 3}, 4, {1});
    EXPECT_EQ(of_width,
              "field 0 of an exchange has 4 ghost layers in dimension 0, and some block only 3 cells: they "
              "come from one neighbour, so take fewer layers or fewer blocks");
    const auto before = co_await all[{1, 0}].call<&block::end>();
    EXPECT_EQ(before, "");  // the awaitable is made; only awaiting it throws
    const auto not_begun = co_await all[{1, 0}].call<&block::await_end>();
    EXPECT_EQ(not_begun, "the end of an exchange is awaited that has not begun: call begin first");

    const auto orders = co_await all.reduce<&block::exchange>(gather, std::vector{2, 5, 5}, 1);
    for (const auto& text : orders)
      EXPECT_EQ(text,
                "the exchange of step 5 comes after that of step 5: each step is larger than the one before");
    const auto descends = co_await all.reduce<&block::exchange>(gather, std::vector{4}, 1);
    for (const auto& text : descends)
      EXPECT_EQ(text,
                "the exchange of step 4 comes after that of step 5: each step is larger than the one before");
    const auto still = co_await begin({3, 3}, 1, {6, 7});
    EXPECT_EQ(still, "the exchange of step 7 begins while that of step 6 goes on: await its end first");
    auto twice = all[{1, 0}].call<&block::await_end_twice>();
    co_await quiescence();  // now the end is awaited
    const auto others = co_await when_all(all[{0, 0}].call<&block::exchange>(std::vector{6}, 1),
                                          all[{0, 1}].call<&block::exchange>(std::vector{6}, 1),
                                          all[{1, 1}].call<&block::exchange>(std::vector{6}, 1));
    EXPECT_EQ(std::get<0>(others), "");
    const auto ends = co_await twice;
    EXPECT_EQ(ends,
              (std::vector<std::string>{"", "two entries await the end of the exchange of step 6: one can"}));
  });
}

TEST_P(grid_halo_errors, of_a_function_that_is_missing_come_before_anything_is_sent) {
  run([]() -> task<> {
    const decomposition<2> cut({7, 6}, {2, 2});
    const auto all = make_array<block>(cut.shape(), cut);
    co_await all.call<&block::connect>(boundaries<2>(boundary::function), sides::faces);
    const auto texts = co_await all.reduce<&block::exchange>(gather, std::vector{1}, 1);
    for (const auto& text : texts)
      EXPECT_EQ(
          text,
          "an end of the grid is boundary::function, and the exchange has no function: give it as the last "
          "argument");
    const auto of_end = co_await all[{0, 0}].call<&block::end>();
    EXPECT_EQ(of_end, texts.front());
  });
}

TEST_P(grid_halo_errors, of_blocks_that_do_not_agree_name_the_neighbour) {
  run([]() -> task<> {
    const decomposition<2> cut({8, 4}, {2, 1});
    const auto pair = [&] {
      auto all = make_array<block>(cut.shape(), cut);
      send<&block::connect>(all, boundaries<2>(), sides::faces);
      return all;
    };
    auto all = pair();
    co_await quiescence();
    auto wide = all[{0, 0}].call<&block::exchange>(std::vector{3}, 2);
    const auto of_narrow = co_await all[{1, 0}].call<&block::exchange>(std::vector{3}, 1);
    EXPECT_EQ(
        of_narrow,
        "block (0, 0) has sent 32 bytes of cells for step 3, and the ghost cells there take 16: all blocks "
        "exchange fields of the same decomposition with the same ghost layers");
    const auto of_wide = co_await wide;
    EXPECT_EQ(of_wide.substr(0, 57), "block (1, 0) has sent 16 bytes of cells for step 3, and t");

    all = pair();
    co_await quiescence();
    auto some = all[{0, 0}].call<&block::exchange>(std::vector{3}, 1);
    const auto of_none = co_await all[{1, 0}].call<&block::begin_with>(index2(4, 4), 0, std::vector{3});
    EXPECT_EQ(of_none, "");
    co_await quiescence();
    const auto unexpected = co_await all[{1, 0}].call<&block::await_end>();
    EXPECT_EQ(unexpected.substr(0, 84),
              "block (0, 0) has sent 16 bytes of cells for step 3, and the ghost cells there take 0");

    all = pair();
    co_await quiescence();
    for (int n = 0; n < 2; ++n)
      send<&block::halo>(all[{1, 0}], 3, detail::parcel{0, detail::pooled<std::byte>(16)});
    co_await quiescence();
    const auto twice = co_await all[{1, 0}].call<&block::exchange>(std::vector{3}, 1);
    EXPECT_EQ(twice, "block (0, 0) has sent cells for step 3 twice: a block exchanges each step once");

    all = pair();
    co_await quiescence();
    const auto begun = co_await all[{0, 0}].call<&block::begin_with>(index2(4, 4), 1, std::vector{3});
    EXPECT_EQ(begun, "");
    co_await quiescence();
    const auto later = co_await all[{1, 0}].call<&block::exchange>(std::vector{4}, 1);
    EXPECT_EQ(
        later,
        "block (0, 0) has exchanged step 3, and this block has left it out and exchanges step 4: all blocks "
        "exchange the same steps");

    all = pair();
    co_await quiescence();
    auto waits = all[{1, 0}].call<&block::exchange>(std::vector{4}, 1);
    const auto behind = co_await all[{0, 0}].call<&block::begin_with>(index2(4, 4), 1, std::vector{3});
    EXPECT_EQ(behind, "");
    const auto woken = co_await waits;
    EXPECT_EQ(woken, later);

    all = make_array<block>({2, 2}, decomposition<2>({8, 4}, {2, 2}));
    co_await all.call<&block::connect>(boundaries<2>(), sides::faces);
    co_await all[{0, 0}].call<&block::connect>(boundaries<2>(), sides::all);
    auto corner = all[{0, 0}].call<&block::begin_with>(index2(4, 2), 1, std::vector{1});
    const auto sent = co_await corner;
    EXPECT_EQ(sent, "");
    co_await quiescence();
    auto fourth = all[{1, 1}].call<&block::exchange>(std::vector{1}, 1);
    co_await when_all(all[{0, 1}].call<&block::begin_with>(index2(4, 2), 1, std::vector{1}),
                      all[{1, 0}].call<&block::begin_with>(index2(4, 2), 1, std::vector{1}));
    const auto of_corner = co_await fourth;
    EXPECT_EQ(of_corner,
              "cells for step 1 came across side 4, and this block exchanges nothing there: all blocks "
              "connect with the same boundaries and sides");
  });
}

TEST_P(grid_halo_errors, a_deadlock_names_the_blocks_that_nothing_came_from) {
  fails(
      []() -> task<> {
        const decomposition<2> cut({6, 9}, {2, 3});
        const auto all = make_array<block>(cut.shape(), cut);
        co_await all.call<&block::connect>(boundaries<2>(), sides::faces);
        co_await when_all(all[{0, 0}].call<&block::run>(1), all[{0, 1}].call<&block::run>(1));
      },
      {"deadlock", "block(0, 0), entry run, on PE ",
       " waits for halo, step 0, for cells of the block (1, 0)\n", "block(0, 1), entry run, on PE ",
       " waits for halo, step 0, for cells of the blocks (1, 1), (0, 2)\n"});
}

}  // namespace imbrex::grid::halo_errors_test
