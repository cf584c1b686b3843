// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/device_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <imbrex/buffer.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/error.hpp>
#include <imbrex/stream.hpp>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {
namespace {

using values = std::vector<double>;

// Shapes with one cell, one row or one plane, and shapes that fill a warp, a tile or a march, or exceed it by
// one cell.
const extents shapes[]{{1, 1, 1},    {1, 1, 7},   {1, 9, 1},    {5, 1, 1},   {2, 3, 4},    {3, 5, 33},
                       {4, 17, 65},  {3, 33, 64}, {2, 3, 131},  {70, 3, 5},  {9, 34, 130}, {130, 2, 3},
                       {2, 16, 128}, {5, 1, 300}, {1, 2, 1500}, {2, 300, 1}, {20, 19, 67}, {13, 64, 257}};

std::string text_of(const extents& shape) {
  return std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " + std::to_string(shape[2]);
}

// Visits the cells of a side's face in the array, implemented independently of device_face.
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

// The cells and the layer around them, without the padding.
values cells_and_layer(const device_layout& layout, const values& all) {
  values some;
  for (std::int64_t i = -1; i <= layout.nx; ++i)
    for (std::int64_t j = -1; j <= layout.ny; ++j)
      for (std::int64_t k = -1; k <= layout.nz; ++k) some.push_back(all[layout.at(i, j, k)]);
  return some;
}

// Random cells, with NaN in the padding, which must not affect results.
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

  /// Copies an array to the device. The copy lives until `forget`.
  imbrex::device_span<double> put(const values& cells) {
    imbrex::pinned_buffer<double> host(*devices_.front(), cells.size());
    std::ranges::copy(cells, host.span().begin());
    auto& there = arrays_.emplace_back(*devices_.front(), cells.size());
    stream_->copy(there.span(), host.span());
    stream_->synchronize();
    return there.span();
  }
  values get(imbrex::device_span<const double> there) {
    imbrex::pinned_buffer<double> host(*devices_.front(), there.size());
    stream_->copy(host.span(), there);
    stream_->synchronize();
    return {host.span().begin(), host.span().end()};
  }
  /// Destroys the arrays made by `put`.
  void forget() { arrays_.clear(); }
  imbrex::stream& in() { return *stream_; }

  values update_of(const values& now, const values& before, const device_layout& layout) {
    const auto next = put(before);
    in().launch(update, put(now), next, layout);
    return get(next);
  }

 private:
  std::vector<std::unique_ptr<imbrex::device>> devices_;
  std::unique_ptr<imbrex::stream> stream_;
  std::list<imbrex::device_buffer<double>> arrays_;
};

// The serial loop's result for cells and the layer around them.
values sweep_of(const values& now, values next, const device_layout& layout) {
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
  return next;
}

values face_of(const values& cells, const device_layout& layout, int side, bool outside) {
  values face;
  for_each_of_side(layout, side, outside, [&](std::size_t at) { face.push_back(cells[at]); });
  return face;
}

bool is_among(unsigned some, int side) { return (some >> unsigned(side)) % 2 == 1; }

// Sets of sides with a face: none, all, some and the others, and a single one.
std::array<unsigned, 5> choices_of_sides(const extents& shape) {
  const auto one = unsigned(shape[0] + 3 * shape[1] + shape[2]) % sides;
  return {0, 0b111111, 0b101001, 0b010110, 1U << one};
}

TEST_P(device_kernels, update_as_a_serial_loop_does) {
  for (const extents& shape : shapes) {
    const device_layout layout(shape);
    const values now = random_cells(layout, 1), before = random_cells(layout, 2);
    EXPECT_TRUE(equal_bits(update_of(now, before, layout), sweep_of(now, before, layout))) << text_of(shape);
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
  const values next = update_of(now, now, layout);
  EXPECT_TRUE(equal_bits({next[layout.at(0, 0, 0)], next[layout.at(0, 0, 3)], next[layout.at(0, 0, 4)],
                          next[layout.at(0, 0, 2)]},
                         {-0.0, infinity, infinity, 0.0}));
}

TEST_P(device_kernels, pack_faces) {
  for (const extents& shape : shapes)
    for (const unsigned chosen : choices_of_sides(shape)) {
      const device_layout layout(shape);
      const values cells = random_cells(layout, 3);
      outgoing_faces to;
      std::array<imbrex::device_span<double>, sides> faces;
      for (int side = 0; side < sides; ++side) {
        if (!is_among(chosen, side)) continue;
        faces[std::size_t(side)] = put(values(layout.face_cells(side)));
        to.of[side] = faces[std::size_t(side)].data();
      }
      in().launch(pack, put(cells), to, layout);
      for (int side = 0; side < sides; ++side)
        if (is_among(chosen, side))
          EXPECT_TRUE(equal_bits(get(faces[std::size_t(side)]), face_of(cells, layout, side, false)))
              << text_of(shape) << ", side " << side << " of " << chosen;
      forget();
    }
}

TEST_P(device_kernels, unpack_faces_and_change_no_other_cell) {
  for (const extents& shape : shapes)
    for (const unsigned chosen : choices_of_sides(shape)) {
      const device_layout layout(shape);
      const values of_neighbours = random_cells(layout, 3), around = random_cells(layout, 4);
      values filled = around;
      incoming_faces from;
      for (int side = 0; side < sides; ++side) {
        if (!is_among(chosen, side)) continue;
        from.of[side] = put(face_of(of_neighbours, layout, side, true)).data();
        for_each_of_side(layout, side, true, [&](std::size_t at) { filled[at] = of_neighbours[at]; });
      }
      const auto cells = put(around);
      in().launch(unpack, from, cells, layout);
      EXPECT_TRUE(equal_bits(cells_and_layer(layout, get(cells)), cells_and_layer(layout, filled)))
          << text_of(shape) << ", sides " << chosen;
      forget();
    }
}

// The layer around is NaN at sides that have a face.
TEST_P(device_kernels, update_with_faces_as_unpack_update_and_pack_do) {
  for (const extents& shape : shapes)
    for (const unsigned chosen : choices_of_sides(shape)) {
      const device_layout layout(shape);
      const values whole = random_cells(layout, 5), before = random_cells(layout, 6);
      const values next = sweep_of(whole, before, layout);
      values now = whole;
      incoming_faces from;
      outgoing_faces to;
      std::array<imbrex::device_span<double>, sides> out;
      for (int side = 0; side < sides; ++side) {
        if (is_among(chosen, side)) {
          from.of[side] = put(face_of(whole, layout, side, true)).data();
          for_each_of_side(layout, side, true,
                           [&](std::size_t at) { now[at] = std::numeric_limits<double>::quiet_NaN(); });
        }
        if (!is_among(chosen * 11, side)) continue;  // other sides than the incoming ones
        out[std::size_t(side)] = put(values(layout.face_cells(side)));
        to.of[side] = out[std::size_t(side)].data();
      }
      const auto there = put(before);
      in().launch(update_with_faces, put(now), there, layout, from, to);
      const std::string what = text_of(shape) + ", sides " + std::to_string(chosen);
      EXPECT_TRUE(equal_bits(get(there), next)) << what;
      for (int side = 0; side < sides; ++side)
        if (to.of[side] != nullptr)
          EXPECT_TRUE(equal_bits(get(out[std::size_t(side)]), face_of(next, layout, side, false)))
              << what << ", to side " << side;
      forget();
    }
}

TEST(work_of_device_kernels, counts_each_cell_read_and_written_once) {
  const device_layout layout({3, 5, 7});
  double cell = 0;
  outgoing_faces all;
  incoming_faces some;
  for (double*& face : all.of) face = &cell;
  some.of[2] = some.of[5] = &cell;
  EXPECT_EQ(update.work({}, {}, layout).bytes, 16.0 * 3 * 5 * 7);
  EXPECT_EQ(pack.work({}, all.at_side(2), layout).bytes, 16.0 * 3 * 7);
  EXPECT_EQ(pack.work({}, all, layout).threads, 2U * (5 * 7 + 3 * 7 + 3 * 5));
  EXPECT_EQ(unpack.work(some, {}, layout).bytes, 16.0 * (3 * 7 + 3 * 5));
  EXPECT_EQ(update_with_faces.work({}, {}, layout, some, all).bytes,
            16.0 * 3 * 5 * 7 + 8.0 * (3 * 7 + 3 * 5) + 16.0 * (5 * 7 + 3 * 7 + 3 * 5));
  EXPECT_EQ(update_with_faces.work({}, {}, layout, some, all).threads, 3U * 5 * 7);
}

INSTANTIATE_TEST_SUITE_P(every, device_kernels, ::testing::Values("emulated", "cuda"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace jacobi3d
