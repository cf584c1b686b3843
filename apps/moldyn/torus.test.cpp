// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/torus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "apps/moldyn/measurement.hpp"
#include "apps/moldyn/plain_loop.hpp"

namespace moldyn {
namespace {

TEST(torus, has_nineteen_and_a_half_particles_in_a_cell) {
  EXPECT_EQ(torus::cells_for(320'000), imbrex::index2(129, 127));
  EXPECT_EQ(torus::cells_for(1), imbrex::index2(1, 1));
  EXPECT_EQ(torus::initial_particles({3, 3}).size(), 20U);
  EXPECT_EQ(torus::initial_particles({3, 4}).size(), 19U);
}

settings on(int pes, std::int64_t particles, overlap how) {
  settings setup;
  setup.what = model::torus;
  setup.machine.pes = pes;
  setup.particles = particles;
  setup.how = how;
  setup.cycles = 30;
  return setup;
}

void expect_as_plain(const settings& setup, std::int64_t odf) {
  const auto cells = torus::cells_for(setup.particles);
  torus::plain_loop loop(cells, torus::filled_rows(cells[0], setup.filled));
  loop.advance(setup.cycles);
  EXPECT_GT(loop.migrated(), 0);
  measurement m;
  ASSERT_EQ(measure(setup, odf, m), 0);
  const auto reference = loop.sums();
  EXPECT_EQ(m.of_torus.particles, reference.particles);
  EXPECT_NEAR(m.of_torus.total(), reference.total(), 1e-9 * std::abs(reference.total()));
  EXPECT_NEAR(m.of_torus.momentum_x, reference.momentum_x, 1e-9);
  EXPECT_NEAR(m.of_torus.momentum_y, reference.momentum_y, 1e-9);
}

TEST(torus, agrees_with_a_plain_loop) { expect_as_plain(on(2, 4000, overlap::automatic), 3); }
TEST(torus, agrees_with_a_plain_loop_without_overlap) { expect_as_plain(on(2, 4000, overlap::none), 1); }
TEST(torus, agrees_where_the_whole_is_four_cells_wide) { expect_as_plain(on(1, 310, overlap::automatic), 8); }

// The particles spread over the empty rows, and blocks migrate.
TEST(torus, agrees_with_a_plain_loop_where_rows_are_empty) {
  settings setup = on(2, 4000, overlap::automatic);
  setup.filled = {1, 3};
  setup.machine.balance = {.strategy = "auto", .every_points = 1};
  expect_as_plain(setup, 8);
  EXPECT_EQ(torus::filled_rows(15, setup.filled), 5);
  EXPECT_EQ(torus::filled_rows(15, {0, 1}), 1);
}

TEST(torus, conserves_energy_and_momentum) {
  settings setup = on(1, 400, overlap::automatic);
  setup.cycles = 1;
  measurement first, last;
  ASSERT_EQ(measure(setup, 4, first), 0);
  setup.cycles = 10'000;
  ASSERT_EQ(measure(setup, 4, last), 0);
  EXPECT_NEAR(last.of_torus.momentum_x, first.of_torus.momentum_x, 1e-10);
  EXPECT_NEAR(last.of_torus.momentum_y, first.of_torus.momentum_y, 1e-10);
  // Velocities lag by half a step, so kinetic and potential energies are of different times.
  EXPECT_NEAR(last.of_torus.total(), first.of_torus.total(), 0.02 * std::abs(first.of_torus.kinetic));
}

}  // namespace
}  // namespace moldyn
