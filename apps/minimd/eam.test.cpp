// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/eam.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/error.hpp>
#include <imbrex/random.hpp>
#include <imbrex/testing/error_of.hpp>

#include "apps/minimd/synthetic_potential.test.hpp"

namespace minimd {
namespace {

using imbrex::testing::error_of;

/// A few atoms without a box, with all pairs in the lists.
struct cluster {
  explicit cluster(list_kind lists) {
    what.field = force_field::eam;
    what.cutoff = synthetic_potential::cutoff;
    what.lists = lists;
    store.own = 12;
    store.position.assign(4 * 13, 0);
    store.force.assign(4 * 12, 0);
    imbrex::random dice(4);
    for (std::size_t k = 0; k < 48; ++k)
      if (k % 4 != 3) store.position[k] = static_cast<double>(dice.below(3000)) / 1000;
    for (std::size_t d = 0; d < 3; ++d) store.position[48 + d] = 1e12;
    list.begin.push_back(0);
    for (std::size_t i = 0; i < 12; ++i) {
      for (std::size_t j = lists == list_kind::half ? i + 1 : 0; j < 12; ++j)
        if (j != i) list.atoms.push_back(static_cast<std::int32_t>(j));
      while (list.atoms.size() % 8 != 0) list.atoms.push_back(12);
      list.begin.push_back(list.atoms.size());
    }
  }
  double energy(const eam_potential& by) {
    eam_densities(what, by, store, list, near, densities);
    const double embedding = eam_embed(by, densities, store.own, slopes);
    const pair_sums pairs = eam_forces(what, by, slopes, list, near, store);
    return embedding + pairs.potential;
  }

  problem what;
  atom_store store;
  neighbour_list list;
  near_pairs near;
  std::vector<double> densities, slopes;
};

TEST(eam, has_forces_that_are_the_slopes_of_the_energy) {
  const auto by = eam_potential::of(synthetic_potential::text());
  EXPECT_EQ(by.mass, 2.5);
  EXPECT_EQ(by.cutoff, 3);
  cluster full(list_kind::full), half(list_kind::half);
  EXPECT_NEAR(full.energy(by), half.energy(by), 1e-12);
  const auto forces = full.store.force;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    EXPECT_NEAR(forces[k], half.store.force[k], 1e-11);
    if (k % 4 == 3) continue;
    constexpr double by_little = 1e-5;
    cluster moved(list_kind::full);
    moved.store.position[k] += by_little;
    const double above = moved.energy(by);
    moved.store.position[k] -= 2 * by_little;
    EXPECT_NEAR(forces[k], (moved.energy(by) - above) / (2 * by_little), 1e-5 * (1 + std::abs(forces[k])));
  }
}

TEST(eam, has_splines_through_their_points) {
  std::vector<double> values;
  for (int i = 0; i <= 20; ++i) values.push_back(std::sin(0.1 * i));
  const spline sine(values, 0.1);
  for (double x = 0.2; x < 1.8; x += 0.013) {
    EXPECT_NEAR(sine(x).value, std::sin(x), 1e-6);
    EXPECT_NEAR(sine(x).slope, std::cos(x), 1e-4);
  }
  EXPECT_EQ(sine(100).value, values.back());
}

std::string refusal(const std::string& text) {
  return error_of<imbrex::usage_error>([&] { (void)eam_potential::of(text, "Cu.eam"); });
}

TEST(eam, refuses_files_of_other_forms) {
  EXPECT_EQ(refusal("copper\n 29 none\n"),
            "Cu.eam, line 2: a number is missing for the mass; the file must have the format funcfl");
  EXPECT_EQ(refusal("copper\n 29 63\n 3 0.1 500 0.1 4.0\n"),
            "Cu.eam, line 3: the number of densities is 3, and must be a whole number from 5 to 10000000");
  EXPECT_EQ(refusal(synthetic_potential::text().substr(0, 2000)).substr(0, 13), "Cu.eam, line ");
  EXPECT_EQ(refusal("copper\n 29 63\n 500 0 500 0.01 4.0\n"),
            "Cu.eam, line 3: the step of densities is 0, and must be more than 0");
  EXPECT_EQ(refusal("copper\n 29 63\n 500 0.1 500 -0.01 4.0\n"),
            "Cu.eam, line 3: the step of distances is -0.01, and must be more than 0");
  EXPECT_EQ(refusal("copper\n 29 -63\n 500 0.1 500 0.01 4.0\n"),
            "Cu.eam, line 2: the mass is -63, and must be more than 0");
  EXPECT_EQ(refusal("copper\n 29 63\n 500 0.1 500 1e-7 4.0\n"),
            "Cu.eam, line 3: the cut-off is 4, and 500 distances in steps of 1e-07 reach to 5e-05");
}

}  // namespace
}  // namespace minimd
