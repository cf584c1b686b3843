// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/measurement.hpp"

#include <gtest/gtest.h>

#include <string>

#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace pic {
namespace {

settings small(int pes) {
  settings setup;
  setup.machine.pes = pes;
  setup.machine.machine = imbrex::machine_kind::deterministic;
  setup.posed.grid = 24;
  setup.posed.particles = 500;
  setup.posed.attenuation = 0.8;
  setup.steps = 20;
  return setup;
}

measurement run(const settings& setup, std::int64_t odf) {
  measurement m;
  EXPECT_EQ(measure(setup, odf, m), 0);
  return m;
}

TEST(pic, brings_all_particles_to_their_places) {
  for (const auto how :
       {distribution::geometric, distribution::sinusoidal, distribution::linear, distribution::patch})
    for (const std::int64_t k : {0, 1, 11})
      for (const std::int64_t m : {0, 1, -5, 23}) {
        settings setup = small(2);
        setup.posed.how = how;
        setup.posed.k = k;
        setup.posed.m = m;
        setup.posed.patch = {3, 9, 4, 4};
        const measurement seen = run(setup, 6);
        EXPECT_TRUE(seen.is_right()) << static_cast<int>(how) << " " << k << " " << m;
        EXPECT_GT(seen.particles, 300);
      }
}

TEST(pic, loses_nothing_when_tiles_migrate) {
  for (const auto kind :
       {imbrex::machine_kind::threads, imbrex::machine_kind::deterministic, imbrex::machine_kind::simulated})
    for (const char* const strategy : {"random", "rotate", "auto"})
      for (const std::int64_t odf : {1, 5, 192}) {
        settings setup = small(3);
        setup.machine.machine = kind;
        setup.machine.balance = {.strategy = strategy, .every_points = 1};
        setup.machine.serialize_always = odf == 5;
        const measurement seen = run(setup, odf);
        EXPECT_TRUE(seen.is_right()) << strategy << " " << odf;
      }
}

// The model has a time that does not vary.
TEST(pic, is_faster_when_it_is_balanced) {
  settings setup = small(4);
  setup.machine.machine = imbrex::machine_kind::simulated;
  setup.posed.grid = 96;
  setup.posed.particles = 4000;
  setup.posed.attenuation = 0.95;
  setup.steps = 100;
  setup.particle_time = imbrex::nanoseconds(2000);
  const double unbalanced = run(setup, 8).seconds;
  setup.machine.balance.strategy = "auto";
  EXPECT_GT(unbalanced / run(setup, 8).seconds, 1.3);
}

TEST(pic, refuses_more_tiles_than_cells) {
  measurement nothing;
  EXPECT_EQ(
      imbrex::testing::error_of<imbrex::usage_error>([&] { measure(small(2), 1000, nothing); }).substr(0, 12),
      "--odf 1000: ");
}

}  // namespace
}  // namespace pic
