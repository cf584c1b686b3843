// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/stream.hpp>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {
namespace {

using values = std::vector<double>;

// Some with one cell, one row or one plane; some that fill a warp, a tile or a march, or are one cell more.
const extents shapes[]{{1, 1, 1},    {1, 1, 7},   {1, 9, 1},    {5, 1, 1},   {2, 3, 4},    {3, 5, 33},
                       {4, 17, 65},  {3, 33, 64}, {2, 3, 131},  {70, 3, 5},  {9, 34, 130}, {130, 2, 3},
                       {2, 16, 128}, {5, 1, 300}, {1, 2, 1500}, {2, 300, 1}, {20, 19, 67}, {13, 64, 257}};

std::string text_of(const extents& shape) {
  return std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " + std::to_string(shape[2]);
}

// Where the cells of all faces lie in an array, written apart from device_face.
template <class Visit>
void for_each_of_side(const device_layout& layout, int side, bool outside, Visit visit) {
  const extents extent{layout.nx, layout.ny, layout.nz};
  extents first{0, 0, 0}, last = extent;
  const auto across = std::size_t(side / 2);
  first[across] = side % 2 == 0 ? (outside ? -1 : 0) : (outside ? extent[across] : extent[across] - 1);
  last[across] = first[across] + 1;
  for (std::int64_t i = first[0]; i < last[0]; ++i)
    for (std::int64_t j = first[1]; j < last[1]; ++j)
      for (std::int64_t k = first[2]; k < last[2]; ++k) visit(layout.at(i, j, k));
}

// NaN in the padding, of which nothing may come.
values random_cells(const device_layout& layout, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-40, 40);
  values cells(layout.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t i = -1; i <= layout.nx; ++i)
    for (std::int64_t j = -1; j <= layout.ny; ++j)
      for (std::int64_t k = -1; k <= layout.nz; ++k)
        cells[layout.at(i, j, k)] = std::ldexp(mantissa(random), exponent(random));
  return cells;
}

::testing::AssertionResult equal_bits(const values& is, const values& should) {
  if (is.size() != should.size()) return ::testing::AssertionFailure() << "sizes differ";
  for (std::size_t at = 0; at < is.size(); ++at)
    if (std::bit_cast<std::uint64_t>(is[at]) != std::bit_cast<std::uint64_t>(should[at]))
      return ::testing::AssertionFailure() << is[at] << " at " << at << ", not " << should[at];
  return ::testing::AssertionSuccess();
}

class device_kernels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      devices_ = imbrex::devices(GetParam());
    } catch (const imbrex::error& reason) {
      GTEST_SKIP() << reason.what();
    }
    stream_ = std::make_unique<imbrex::stream>(*devices_.front(), imbrex::stream_priority::normal, "test");
  }

  /// Launches a kernel that reads one array and writes another; returns what the other then is.
  template <class Kernel, class... Args>
  values run(const Kernel& kernel, const values& from, const values& to, Args... arguments) {
    imbrex::device& on = *devices_.front();
    imbrex::pinned_buffer<double> host_from(on, from.size()), host_to(on, to.size());
    imbrex::device_buffer<double> device_from(on, from.size()), device_to(on, to.size());
    std::ranges::copy(from, host_from.span().begin());
    std::ranges::copy(to, host_to.span().begin());
    stream_->copy(device_from.span(), host_from.span());
    stream_->copy(device_to.span(), host_to.span());
    stream_->launch(kernel, device_from.span(), device_to.span(), arguments...);
    stream_->copy(host_to.span(), device_to.span());
    stream_->synchronize();
    return {host_to.span().begin(), host_to.span().end()};
  }

 private:
  std::vector<std::unique_ptr<imbrex::device>> devices_;
  std::unique_ptr<imbrex::stream> stream_;
};

TEST_P(device_kernels, update_as_a_serial_loop_does) {
  for (const extents& shape : shapes) {
    const device_layout layout(shape);
    const values now = random_cells(layout, 1), before = random_cells(layout, 2);
    values next = before;
    for (std::int64_t i = 0; i < layout.nx; ++i)
      for (std::int64_t j = 0; j < layout.ny; ++j)
        for (std::int64_t k = 0; k < layout.nz; ++k) {
          double sum = now[layout.at(i, j, k)];
          sum += now[layout.at(i - 1, j, k)];
          sum += now[layout.at(i + 1, j, k)];
          sum += now[layout.at(i, j - 1, k)];
          sum += now[layout.at(i, j + 1, k)];
          sum += now[layout.at(i, j, k - 1)];
          sum += now[layout.at(i, j, k + 1)];
          next[layout.at(i, j, k)] = sum / 7.0;
        }
    EXPECT_TRUE(equal_bits(run(update, now, before, layout), next)) << text_of(shape);
  }
}

TEST_P(device_kernels, update_numbers_that_are_not_finite_or_tiny) {
  const device_layout layout({1, 1, 6});
  const double infinity = std::numeric_limits<double>::infinity();
  values now = random_cells(layout, 1);
  for (double& cell : now) cell = -0.0;
  now[layout.at(0, 0, 2)] = 5e-324;
  now[layout.at(0, 1, 3)] = infinity;
  now[layout.at(0, 1, 4)] = 1e308;
  now[layout.at(0, 0, 4)] = 1e308;
  now[layout.at(0, 0, 5)] = -1e-310;
  const values next = run(update, now, now, layout);
  EXPECT_TRUE(equal_bits({next[layout.at(0, 0, 0)], next[layout.at(0, 0, 3)], next[layout.at(0, 0, 4)],
                          next[layout.at(0, 0, 2)]},
                         {-0.0, infinity, infinity, 0.0}));
}

TEST_P(device_kernels, pack_and_unpack_every_face) {
  for (const extents& shape : shapes)
    for (int side = 0; side < sides; ++side) {
      const device_layout layout(shape);
      const values cells = random_cells(layout, 3), around = random_cells(layout, 4);
      values face;
      for_each_of_side(layout, side, false, [&](std::size_t at) { face.push_back(cells[at]); });
      ASSERT_EQ(face.size(), layout.face_cells(side));
      const std::string what = text_of(shape) + ", side " + std::to_string(side);
      EXPECT_TRUE(equal_bits(run(pack, cells, values(face.size()), layout, side), face)) << what;

      values filled = around;
      std::size_t next = 0;
      for_each_of_side(layout, side ^ 1, true, [&](std::size_t at) { filled[at] = face[next++]; });
      EXPECT_TRUE(equal_bits(run(unpack, face, around, layout, side ^ 1), filled)) << what;
    }
}

TEST(work_of_device_kernels, counts_each_cell_read_and_written_once) {
  const device_layout layout({3, 5, 7});
  EXPECT_EQ(update.work({}, {}, layout).bytes, 16.0 * 3 * 5 * 7);
  EXPECT_EQ(pack.work({}, {}, layout, 2).bytes, 16.0 * 3 * 7);
  EXPECT_EQ(unpack.work({}, {}, layout, 5).bytes, 16.0 * 3 * 5);
}

INSTANTIATE_TEST_SUITE_P(every, device_kernels, ::testing::Values("emulated", "cuda"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace jacobi3d
