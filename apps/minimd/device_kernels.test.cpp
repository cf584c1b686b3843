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

#include <imbrex/buffer.hpp>
#include <imbrex/device/backends/devices.hpp>
#include <imbrex/error.hpp>
#include <imbrex/random.hpp>
#include <imbrex/stream.hpp>

#include "apps/minimd/device_eam_kernels.hpp"
#include "apps/minimd/eam.hpp"
#include "apps/minimd/synthetic_potential.test.hpp"

namespace minimd {
namespace {

using values = std::vector<double>;

/// Runs kernels on each kind of device and compares with loops written here.
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

// Rows of three random numbers from 0 to `below`, and a zero.
values random_rows(std::size_t atoms, double below, std::uint64_t seed) {
  imbrex::random dice(seed);
  values rows;
  for (std::size_t k = 0; k < 4 * atoms; ++k)
    rows.push_back(k % 4 == 3 ? 0 : static_cast<double>(dice() >> 11U) * 0x1p-53 * below);
  return rows;
}

void expect_close(const values& is, const values& should) {
  ASSERT_EQ(is.size(), should.size());
  for (std::size_t k = 0; k < is.size(); ++k)
    ASSERT_NEAR(is[k], should[k], 1e-12 * (1 + std::abs(should[k]))) << "at " << k;
}

// Cuts `count` values into messages; some are empty, and the last ends with the values.
message_places cut(std::size_t count, std::size_t numbers, imbrex::device_span<double> all) {
  message_places places{};
  std::size_t first = 0;
  for (const std::size_t end : {count / 3, count / 3, count / 2, count}) {
    places.end[places.count] = static_cast<std::int32_t>(end);
    places.at[places.count++] = all.data() + numbers * first;
    first = end;
  }
  return places;
}

// Numbers of atoms: one, few, a slice, one more, and one more than a block of threads.
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
    const message_places messages = cut(count, 3, message.span());
    in().launch(pack, std::as_const(positions).span(), places.span(), messages, box);
    expect_close(get(message), packed);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t d = 0; d < 3; ++d) x[4 * (own + i) + d] = packed[3 * i + d];
    in().launch(unpack, messages, positions.span().subspan(4 * own, 4 * count));
    expect_close(get(positions), x);
    auto others = put(random_rows(own + count + 1, 10, 4));
    in().launch(copy_images, std::as_const(others).span(), places.span(),
                others.span().subspan(4 * own, 4 * count), box);
    expect_close(get(others), x);
  }
}

TEST_P(minimd_kernels, carry_slopes) {
  for (const std::size_t count : sizes) {
    constexpr std::size_t own = 40;
    values slopes = random_rows((own + count + 3) / 4, 1, 5);
    slopes.resize(own + count);
    imbrex::random dice(count);
    std::vector<halo_source> sources;
    values packed;
    for (std::size_t i = 0; i < count; ++i) {
      sources.push_back({static_cast<std::int32_t>(dice.below(own)), {1, 0, 0}});
      packed.push_back(slopes[static_cast<std::size_t>(sources[i].atom)]);
    }
    auto there = put(slopes), message = put(values(count));
    const auto places = put(sources);
    const message_places messages = cut(count, 1, message.span());
    in().launch(pack_slopes, std::as_const(there).span(), places.span(), messages);
    expect_close(get(message), packed);
    in().launch(unpack_slopes, messages, there.span().subspan(own, count));
    std::ranges::copy(packed, slopes.begin() + own);
    expect_close(get(there), slopes);
  }
}

// Atoms at random positions. The list of each own atom contains each other atom with probability 1/2.
struct random_lists {
  explicit random_lists(std::size_t own) : all(own + 7), x(random_rows(all + 1, 3, own)), near(own) {
    for (std::size_t d = 0; d < 3; ++d) x[4 * all + d] = 1e12;
    imbrex::random dice(own);
    for (std::size_t i = 0; i < own; ++i)
      for (std::size_t j = 0; j < all; ++j)
        if (j != i && dice.below(2) == 0) near[i].push_back(static_cast<std::int32_t>(j));
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
  }
  // Calls visit(i, j, vector from j to i, squared distance) for each pair within the cut-off.
  template <class Visit>
  void for_each_pair(double cutoff_squared, Visit visit) const {
    for (std::size_t i = 0; i < near.size(); ++i)
      for (const std::int32_t j : near[i]) {
        double r[3], squared = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          r[d] = x[4 * i + d] - x[4 * static_cast<std::size_t>(j) + d];
          squared += r[d] * r[d];
        }
        if (squared < cutoff_squared) visit(i, static_cast<std::size_t>(j), r, squared);
      }
  }

  std::size_t all;
  values x;
  std::vector<std::vector<std::int32_t>> near;
  std::vector<std::uint64_t> begin{0};  ///< beginning of each slice
  std::vector<std::int32_t> atoms;
};

// Compares relative to the greatest value, since large forces of close pairs cancel.
void expect_nearly(const values& is, const values& should) {
  double greatest = 1;
  for (const double value : should) greatest = std::max(greatest, std::abs(value));
  for (std::size_t k = 0; k < should.size(); ++k) ASSERT_NEAR(is[k], should[k], 1e-11 * greatest);
}

TEST_P(minimd_kernels, add_forces_of_lists_in_slices) {
  const lj_constants by{2.25, 0.25, 48, 4};
  for (const std::size_t own : sizes) {
    const random_lists lists(own);
    values forces(4 * own), sums(2 * own);
    lists.for_each_pair(by.cutoff_squared, [&](std::size_t i, std::size_t, const double* r, double squared) {
      const double sixth = std::pow(by.sigma_squared / squared, 3);
      const double force = by.force * sixth * (sixth - 0.5) / squared;
      for (std::size_t d = 0; d < 3; ++d) forces[4 * i + d] += force * r[d];
      sums[2 * i] += by.energy * sixth * (sixth - 1);
      sums[2 * i + 1] += force * squared;
    });
    const auto positions = put(lists.x);
    const auto where = put(lists.begin);
    const auto list = put(lists.atoms);
    auto got = put(values(4 * own, 7)), got_sums = put(values(2 * own, 7));
    in().launch(lj_forces_of_list, positions.span(), where.span(), list.span(), got.span(), by);
    expect_nearly(get(got), forces);
    in().launch(lj_forces_and_sums_of_list, positions.span(), where.span(), list.span(), got.span(),
                got_sums.span(), by);
    expect_nearly(get(got), forces);
    expect_nearly(get(got_sums), sums);
  }
}

TEST_P(minimd_kernels, add_forces_of_embedded_atoms) {
  const auto by = eam_potential::of(synthetic_potential::text());
  const auto scale = [](const spline& of) {
    return spline_scale{of.intervals_in_unit(), static_cast<std::int32_t>(of.last_interval())};
  };
  const auto cubics = [](const spline& of) { return values(of.cubics().begin(), of.cubics().end()); };
  const eam_constants constants{4, scale(by.embedding), scale(by.density), scale(by.pair)};
  const auto embedding = put(cubics(by.embedding)), density = put(cubics(by.density)),
             pair = put(cubics(by.pair));
  for (const std::size_t own : sizes) {
    const random_lists lists(own);
    values densities(own), slopes(own), energies(own), forces(4 * own), sums(2 * own);
    lists.for_each_pair(constants.cutoff_squared,
                        [&](std::size_t i, std::size_t, const double*, double squared) {
                          densities[i] += by.density(std::sqrt(squared)).value;
                        });
    for (std::size_t i = 0; i < own; ++i) {
      slopes[i] = by.embedding(densities[i]).slope;
      energies[i] = by.embedding(densities[i]).value;
      sums[2 * i] = 2 * energies[i];
    }
    for (std::size_t i = own; i < lists.all; ++i) slopes.push_back(-0.25 * static_cast<double>(i % 3));
    lists.for_each_pair(constants.cutoff_squared,
                        [&](std::size_t i, std::size_t j, const double* r, double squared) {
                          const auto [energy, force] = by.pair_at(std::sqrt(squared), slopes[i] + slopes[j]);
                          for (std::size_t d = 0; d < 3; ++d) forces[4 * i + d] += force * r[d];
                          sums[2 * i] += energy;
                          sums[2 * i + 1] += force * squared;
                        });
    const auto positions = put(lists.x);
    const auto where = put(lists.begin);
    const auto list = put(lists.atoms);
    auto got_slopes = put(slopes), got_energies = put(values(own, 7)), got = put(values(4 * own, 7)),
         got_sums = put(values(2 * own, 7));
    in().launch(eam_slopes_of_list, positions.span(), where.span(), list.span(), density.span(),
                embedding.span(), got_slopes.span(), got_energies.span(), constants);
    expect_nearly(get(got_slopes), slopes);
    expect_nearly(get(got_energies), energies);
    const auto seen = std::as_const(got_slopes).span();
    in().launch(eam_forces_of_list, positions.span(), where.span(), list.span(), seen, density.span(),
                pair.span(), got.span(), constants);
    expect_nearly(get(got), forces);
    in().launch(eam_forces_and_sums_of_list, positions.span(), where.span(), list.span(), seen,
                std::as_const(got_energies).span(), density.span(), pair.span(), got.span(), got_sums.span(),
                constants);
    expect_nearly(get(got), forces);
    expect_nearly(get(got_sums), sums);
  }
}

INSTANTIATE_TEST_SUITE_P(every, minimd_kernels, testing::Values("emulated", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace minimd
