// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/grande.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "apps/moldyn/measurement.hpp"

namespace moldyn {
namespace {

TEST(grande, has_the_lattice_of_the_benchmark) {
  const grande model(8);
  EXPECT_EQ(model.atoms, 2048);
  EXPECT_EQ(model.cutoff, 2);
  EXPECT_NEAR(model.side / model.cutoff, 6.7528, 1e-4);
  const auto all = initial_atoms(model);
  ASSERT_EQ(all.size(), 2048U);
  double momentum = 0, squares = 0;
  for (const atom& one : all)
    for (const double v : one.velocity) {
      momentum += v;
      squares += v * v;
    }
  EXPECT_NEAR(momentum, 0, 1e-10);
  EXPECT_NEAR(model.temperature_scale * squares / (grande::step * grande::step), grande::temperature, 1e-12);
}

settings on(int pes, std::int64_t cells, std::uint64_t shuffle = 0) {
  settings setup;
  setup.machine.pes = pes;
  if (shuffle != 0) setup.machine.shuffle = shuffle;
  setup.cells = cells;
  return setup;
}

void expect_known_energies(const settings& setup, std::int64_t odf) {
  measurement m;
  ASSERT_EQ(measure(setup, odf, m), 0);
  const double totals[] = {-9092.3242465233, -9214.9361189654, -9232.1281092435, -9227.3056982534,
                           -9233.3184846554};
  ASSERT_EQ(m.of_grande.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(m.of_grande[i].total(), totals[i], 1e-9);
  EXPECT_NEAR(m.of_grande.back().kinetic, 1731.4306625334357, 1e-9);
}

TEST(grande, meets_the_known_energies_in_one_block) { expect_known_energies(on(1, 0), 1); }
TEST(grande, meets_the_known_energies_in_blocks_thinner_than_the_halo) {
  expect_known_energies(on(2, 8, 5), 32);
}

TEST(grande, counts_pairs_within_the_cutoff) {
  settings setup = on(2, 0);
  setup.cycles = 1;
  measurement m;
  ASSERT_EQ(measure(setup, 4, m), 0);
  const auto atoms = initial_atoms(grande(setup.mm));
  // Moves the initial state once, and visits all pairs at the nearest-image distance.
  const grande model(setup.mm);
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        double x = atoms[i].position[d] + atoms[i].velocity[d] - atoms[j].position[d] - atoms[j].velocity[d];
        x -= model.side * std::round(x / model.side);
        squared += x * x;
      }
      if (squared <= model.cutoff * model.cutoff) ++pairs;
    }
  EXPECT_EQ(m.of_grande.back().interactions, pairs);
}

}  // namespace
}  // namespace moldyn
