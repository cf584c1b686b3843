// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/stencil.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/base/sanitized.test.hpp>
#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/jacobi3d/checksum.hpp"
#include "apps/jacobi3d/initial_values.hpp"
#include "apps/jacobi3d/plain_loop.hpp"
#include "apps/jacobi3d/reference.hpp"

namespace jacobi3d {
namespace {

using imbrex::testing::error_of;

// The program's algorithm without a runtime: blocks that exchange faces, then sweep.
class blocks {
 public:
  blocks(const decomposition& cut, const initial_values& values) : cut_(cut) {
    for (std::int64_t number = 0; number < count(); ++number) {
      std::array<bool, sides> shared;
      for (int side = 0; side < sides; ++side) shared[std::size_t(side)] = neighbour(number, side) >= 0;
      fields_.emplace_back(cut.cells(index(number)), shared);
      fill(fields_.back(), values, cut.grid, cut.first(index(number)));
    }
  }

  double sweep(const sweep_options& options) {
    exchange();
    double change = 0;
    for (block_field& field : fields_) change = std::max(change, jacobi3d::sweep(field, options));
    return change;
  }

  double sweep_in_two(const sweep_options& options) {
    double change = 0;
    for (block_field& field : fields_) change = std::max(change, sweep_interior(field, options));
    exchange();
    for (block_field& field : fields_) change = std::max(change, sweep_exterior(field, options));
    return change;
  }

  void expect_equal(const serial_grid& serial) const {
    std::uint64_t sum = 0;
    for (std::int64_t number = 0; number < count(); ++number) {
      const block_field& field = fields_[std::size_t(number)];
      const extents first = cut_.first(index(number)), cells = field.cells();
      for (std::int64_t i = 0; i < cells[0]; ++i)
        for (std::int64_t j = 0; j < cells[1]; ++j)
          for (std::int64_t k = 0; k < cells[2]; ++k)
            ASSERT_EQ(field.cell(i, j, k), serial.cell(first[0] + i, first[1] + j, first[2] + k));
      sum += checksum(field, cut_.grid, first);
    }
    ASSERT_EQ(sum, serial.checksum());
  }

 private:
  void exchange() {
    for (std::int64_t number = 0; number < count(); ++number)
      for (int side = 0; side < sides; ++side)
        if (const std::int64_t to = neighbour(number, side); to >= 0)
          fields_[std::size_t(to)].put_halo(side ^ 1, fields_[std::size_t(number)].take_face(side));
  }
  std::int64_t count() const { return cut_.blocks[0] * cut_.blocks[1] * cut_.blocks[2]; }
  extents index(std::int64_t number) const {
    return {number / cut_.blocks[2] / cut_.blocks[1], number / cut_.blocks[2] % cut_.blocks[1],
            number % cut_.blocks[2]};
  }
  std::int64_t neighbour(std::int64_t number, int side) const {
    extents at = index(number);
    const auto dimension = std::size_t(side / 2);
    at[dimension] += side % 2 == 0 ? -1 : 1;
    if (at[dimension] < 0 || at[dimension] == cut_.blocks[dimension]) return -1;
    return (at[0] * cut_.blocks[1] + at[1]) * cut_.blocks[2] + at[2];
  }

  decomposition cut_;
  std::vector<block_field> fields_;
};

struct variant {
  instruction_set instructions;
  store_policy stores;
};

class stencil : public testing::TestWithParam<variant> {
 protected:
  void SetUp() override {
    if (!supported(GetParam().instructions)) GTEST_SKIP() << "not on this processor";
  }
  sweep_options options(bool change) const {
    return {.stores = GetParam().stores, .change = change, .instructions = GetParam().instructions};
  }
  void expect_like_serial(const decomposition& cut, const std::string& init) const {
    SCOPED_TRACE(testing::PrintToString(cut.grid) + " in " + testing::PrintToString(cut.blocks) + ", " +
                 init);
    const auto values = initial_values::parse(init);
    serial_grid serial(cut.grid, values);
    blocks decomposed(cut, values), in_two(cut, values);
    for (int sweep = 0; sweep < 4; ++sweep) {
      const bool needs_change = sweep % 2 == 0;
      const double change = serial.sweep(1);
      ASSERT_EQ(decomposed.sweep(options(needs_change)), needs_change ? change : 0.0);
      ASSERT_EQ(in_two.sweep_in_two(options(needs_change)), needs_change ? change : 0.0);
      ASSERT_NO_FATAL_FAILURE(decomposed.expect_equal(serial));
      ASSERT_NO_FATAL_FAILURE(in_two.expect_equal(serial));
    }
  }
};

TEST_P(stencil, equals_the_serial_loop_on_odd_shapes) {
  for (const extents& grid : {extents{1, 1, 1},
                              {1, 7, 3},
                              {13, 5, 9},
                              {3, 1, 8},
                              {2, 2, 7},
                              {4, 3, 16},
                              {5, 6, 17},
                              {1, 1, 65},
                              {2, 3, 64},
                              {9, 8, 33}})
    for (const char* init : {"hot-face", "linear", "random:5"})
      ASSERT_NO_FATAL_FAILURE(expect_like_serial({grid, {1, 1, 1}}, init));
}

TEST_P(stencil, equals_the_serial_loop_for_every_decomposition) {
  for (const extents& grid : {extents{3, 3, 4}, {4, 5, 20}, {7, 2, 9}})
    for (std::int64_t x = 1; x <= std::min<std::int64_t>(grid[0], 4); ++x)
      for (std::int64_t y = 1; y <= std::min<std::int64_t>(grid[1], 3); ++y)
        for (std::int64_t z = 1; z <= grid[2]; ++z)
          ASSERT_NO_FATAL_FAILURE(expect_like_serial({grid, {x, y, z}}, "random:9"));
}

TEST_P(stencil, equals_the_serial_loop_when_planes_are_tiled) {
  ASSERT_NO_FATAL_FAILURE(expect_like_serial({{3, 90, 700}, {1, 1, 1}}, "random:2"));
  ASSERT_NO_FATAL_FAILURE(expect_like_serial({{3, 90, 700}, {3, 1, 1}}, "random:2"));
  ASSERT_NO_FATAL_FAILURE(expect_like_serial({{4, 180, 700}, {1, 2, 2}}, "random:2"));
}

TEST_P(stencil, equals_the_serial_loop_among_subnormal_numbers) {
  const extents grid{400, 1, 2};
  const auto values = initial_values::parse("hot-face");
  serial_grid serial(grid, values);
  blocks decomposed({grid, {4, 1, 1}}, values);
  serial.sweep(390);
  for (int sweep = 0; sweep < 390; ++sweep) decomposed.sweep(options(false));
  ASSERT_GT(serial.cell(382, 0, 0), 0.0);
  ASSERT_LT(serial.cell(382, 0, 0), 0x1p-1022);
  decomposed.expect_equal(serial);
}

std::string name(const testing::TestParamInfo<variant>& info) {
  const char* const sets[] = {"portable", "avx2", "avx512"};
  const bool streaming = info.param.stores == store_policy::streaming;
  return std::string(sets[int(info.param.instructions)]) + (streaming ? "_streaming" : "_cached");
}

INSTANTIATE_TEST_SUITE_P(every, stencil,
                         testing::Values(variant{instruction_set::portable, store_policy::cached},
                                         variant{instruction_set::portable, store_policy::streaming},
                                         variant{instruction_set::avx2, store_policy::cached},
                                         variant{instruction_set::avx2, store_policy::streaming},
                                         variant{instruction_set::avx512, store_policy::cached},
                                         variant{instruction_set::avx512, store_policy::streaming}),
                         name);

TEST(block_field, refuses_a_face_of_another_size) {
  block_field field({2, 3, 4}, {true, false, false, false, false, false});
  EXPECT_THROW(field.put_halo(0, std::vector<double>(3)), std::invalid_argument);
}

TEST(block_field, faces_circulate_without_allocation) {
  block_field left({2, 3, 4}, {false, true}), right({2, 3, 4}, {true, false});
  const auto exchange = [&](bool in_two) {
    auto to_right = left.take_face(1), to_left = right.take_face(0);
    const std::array addresses{to_right.data(), to_left.data()};
    if (in_two) {
      sweep_interior(left);
      sweep_interior(right);
    }
    right.put_halo(0, std::move(to_right));
    left.put_halo(1, std::move(to_left));
    in_two ? sweep_exterior(left) : sweep(left);
    in_two ? sweep_exterior(right) : sweep(right);
    return addresses;
  };
  std::vector<double*> known;
  for (int sweep = 0; sweep < 10; ++sweep)
    for (double* const address : exchange(sweep % 2 == 1))
      if (std::find(known.begin(), known.end(), address) == known.end()) known.push_back(address);
  EXPECT_EQ(known.size(), 4U);
}

TEST(plain_loop, equals_the_serial_loop_with_any_number_of_threads) {
  const extents grid{5, 17, 30};
  const auto values = initial_values::parse("random:6");
  serial_grid serial(grid, values);
  const double change = serial.sweep(7);
  for (const int threads : {1, 2, 3, 7}) {
    plain_loop plain(grid, values, threads);
    EXPECT_EQ(plain.run(3, false).change, 0.0);
    const auto outcome = plain.run(4, true);
    EXPECT_EQ(outcome.change, change);
    EXPECT_GE(outcome.seconds, 0.0);
    EXPECT_EQ(checksum(plain.field(), grid, {0, 0, 0}), serial.checksum());
  }
}

/// Each thread needs a stack of some MB; a few stacks are kept from ended threads.
TEST(plain_loop, says_which_thread_cannot_be_made) {
  if (imbrex::test::memory_is_kept_back) GTEST_SKIP() << "a sanitizer ends the process by itself";
  plain_loop plain({4, 4, 4}, initial_values::parse("random:6"), 40);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit none{1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &none), 0);
  const std::string error_text = error_of<imbrex::error>([&] { plain.run(1, false); });
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_TRUE(error_text.starts_with(
      "cannot start the thread of the plain loop: Resource temporarily unavailable; lower --pes, or "))
      << error_text;
}

}  // namespace
}  // namespace jacobi3d
