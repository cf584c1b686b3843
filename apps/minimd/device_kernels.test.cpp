// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/device_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/stream.hpp>

namespace minimd {
namespace {

using values = std::vector<double>;

/// On each kind of device, beside loops that are written here anew.
class minimd_kernels : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      devices_ = imbrex::devices(GetParam());
    } catch (const imbrex::error& reason) {
      GTEST_SKIP() << reason.what();
    }
    stream_ = std::make_unique<imbrex::stream>(device(), imbrex::stream_priority::normal, "test");
  }
  imbrex::device& device() { return *devices_.front(); }
  imbrex::stream& in() { return *stream_; }

  template <class T>
  imbrex::device_buffer<T> put(const std::vector<T>& here) {
    imbrex::pinned_buffer<T> pinned(device(), here.size());
    std::ranges::copy(here, pinned.span().begin());
    imbrex::device_buffer<T> there(device(), here.size());
    in().copy(there.span(), std::as_const(pinned).span());
    in().synchronize();
    return there;
  }
  values get(const imbrex::device_buffer<double>& there) {
    imbrex::pinned_buffer<double> pinned(device(), there.size());
    in().copy(pinned.span(), there.span());
    in().synchronize();
    return {pinned.span().begin(), pinned.span().end()};
  }

 private:
  std::vector<std::unique_ptr<imbrex::device>> devices_;
  std::unique_ptr<imbrex::stream> stream_;
};

// Rows of three numbers from 0 to `below`, and one that is 0.
values random_rows(std::size_t atoms, double below, std::uint64_t seed) {
  imbrex::random dice(seed);
  values rows;
  for (std::size_t k = 0; k < 4 * atoms; ++k)
    rows.push_back(k % 4 == 3 ? 0 : static_cast<double>(dice.next() >> 11U) * 0x1p-53 * below);
  return rows;
}

void expect_close(const values& is, const values& should) {
  ASSERT_EQ(is.size(), should.size());
  for (std::size_t k = 0; k < is.size(); ++k)
    ASSERT_NEAR(is[k], should[k], 1e-12 * (1 + std::abs(should[k]))) << "at " << k;
}

// One, few, a slice, and one more than a block of threads.
constexpr std::size_t sizes[] = {1, 5, 32, 33, 129};

TEST_P(minimd_kernels, move_atoms) {
  for (const std::size_t atoms : sizes) {
    values x = random_rows(atoms + 3, 10, 1), v = random_rows(atoms, 1, 2);
    const values f = random_rows(atoms, 5, 3);
    auto positions = put(x), velocities = put(v), forces = put(f);
    in().launch(advance_atoms, positions.span(), velocities.span(), std::as_const(forces).span(), 0.25, 0.5);
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] += 0.25 * f[k];
      x[k] += 0.5 * v[k];
    }
    expect_close(get(positions), x);
    in().launch(kick_velocities, velocities.span(), std::as_const(forces).span(), 0.125);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] += 0.125 * f[k];
    expect_close(get(velocities), v);
  }
}

TEST_P(minimd_kernels, carry_copies) {
  const box_lengths box{{10, 20, 40}};
  for (const std::size_t count : sizes) {
    constexpr std::size_t own = 40;
    values x = random_rows(own + count + 1, 10, 4);
    imbrex::random dice(count);
    std::vector<halo_source> sources;
    values packed, rows;
    for (std::size_t i = 0; i < count; ++i) {
      const auto wrap = [&dice] { return static_cast<std::int8_t>(static_cast<int>(dice.below(5)) - 2); };
      sources.push_back({static_cast<std::int32_t>(dice.below(own)), {wrap(), wrap(), wrap()}});
      for (std::size_t d = 0; d < 3; ++d)
        packed.push_back(x[4 * static_cast<std::size_t>(sources[i].atom) + d] +
                         sources[i].wrap[d] * box.of[d]);
    }
    auto positions = put(x), message = put(values(3 * count));
    const auto places = put(sources);
    in().launch(pack, std::as_const(positions).span(), places.span(), message.span(), box);
    expect_close(get(message), packed);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t d = 0; d < 3; ++d) x[4 * (own + i) + d] = packed[3 * i + d];
    in().launch(unpack, std::as_const(message).span(), positions.span().subspan(4 * own, 4 * count));
    expect_close(get(positions), x);
    auto others = put(random_rows(own + count + 1, 10, 4));
    in().launch(copy_images, std::as_const(others).span(), places.span(),
                others.span().subspan(4 * own, 4 * count), box);
    expect_close(get(others), x);
  }
}

TEST_P(minimd_kernels, add_forces_of_lists_in_slices) {
  const lj_constants by{2.25, 0.25, 48, 4};
  for (const std::size_t own : sizes) {
    const std::size_t all = own + 7;
    values x = random_rows(all + 1, 3, own);
    for (std::size_t d = 0; d < 3; ++d) x[4 * all + d] = 1e12;
    imbrex::random dice(own);
    // Each atom has each of the others with a chance of a half.
    std::vector<std::vector<std::int32_t>> near(own);
    for (std::size_t i = 0; i < own; ++i)
      for (std::size_t j = 0; j < all; ++j)
        if (j != i && dice.below(2) == 0) near[i].push_back(static_cast<std::int32_t>(j));
    std::vector<std::uint64_t> begin{0};
    std::vector<std::int32_t> atoms;
    for (std::size_t first = 0; first < own; first += slice) {
      std::size_t longest = 0;
      for (std::size_t i = first; i < std::min(first + slice, own); ++i)
        longest = std::max(longest, near[i].size());
      for (std::size_t k = 0; k < longest; ++k)
        for (std::size_t i = first; i < first + slice; ++i)
          atoms.push_back(i < own && k < near[i].size() ? near[i][k] : static_cast<std::int32_t>(all));
      begin.push_back(atoms.size());
    }
    if (atoms.empty()) atoms.push_back(static_cast<std::int32_t>(all));
    values forces(4 * own), sums(2 * own);
    for (std::size_t i = 0; i < own; ++i)
      for (const std::int32_t j : near[i]) {
        double r[3], squared = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          r[d] = x[4 * i + d] - x[4 * static_cast<std::size_t>(j) + d];
          squared += r[d] * r[d];
        }
        if (squared >= by.cutoff_squared) continue;
        const double sixth = std::pow(by.sigma_squared / squared, 3);
        const double force = by.force * sixth * (sixth - 0.5) / squared;
        for (std::size_t d = 0; d < 3; ++d) forces[4 * i + d] += force * r[d];
        sums[2 * i] += by.energy * sixth * (sixth - 1);
        sums[2 * i + 1] += force * squared;
      }
    const auto positions = put(x);
    const auto where = put(begin);
    const auto list = put(atoms);
    auto got = put(values(4 * own, 7)), got_sums = put(values(2 * own, 7));
    in().launch(lj_forces_of_list, positions.span(), where.span(), list.span(), got.span(), by);
    // Close pairs have large forces, which cancel each other.
    const auto expect_nearly = [&](const values& is, const values& should) {
      double greatest = 1;
      for (const double value : should) greatest = std::max(greatest, std::abs(value));
      for (std::size_t k = 0; k < should.size(); ++k) ASSERT_NEAR(is[k], should[k], 1e-11 * greatest);
    };
    expect_nearly(get(got), forces);
    in().launch(lj_forces_and_sums_of_list, positions.span(), where.span(), list.span(), got.span(),
                got_sums.span(), by);
    expect_nearly(get(got), forces);
    expect_nearly(get(got_sums), sums);
  }
}

INSTANTIATE_TEST_SUITE_P(every, minimd_kernels, testing::Values("emulated", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace minimd
