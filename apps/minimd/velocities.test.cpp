// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/velocities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "apps/minimd/input.hpp"
#include "apps/minimd/measurement.hpp"
#include "apps/minimd/synthetic_potential.test.hpp"

namespace minimd {
namespace {

struct values {
  double temperature, potential, pressure;
};

// Checks the last output of an input. Expected values are LAMMPS's, version of January 2022.
void expect_values(const std::string& text, const values& reference) {
  settings setup;
  setup.parameters = parse_input(text, "in");
  problem& what = setup.parameters.what;
  if (what.field == force_field::eam) {
    what.potential = synthetic_potential::text();
    what.cutoff = synthetic_potential::cutoff;
    for (double* mass : {&what.mass, &what.velocities.at(0).mass})
      if (*mass == 0) *mass = synthetic_potential::mass;
  }
  setup.machine.pes = 2;
  measurement m;
  ASSERT_EQ(measure(setup, 3, nullptr, [](const thermo&, const std::vector<atom>&) {}, m), 0);
  const thermo& last = m.outputs.back();
  EXPECT_NEAR(last.temperature / reference.temperature, 1, 1e-12) << text;
  EXPECT_NEAR(last.potential / reference.potential, 1, 1e-12) << text;
  EXPECT_NEAR(last.pressure / reference.pressure, 1, 1e-11) << text;
}

void expect_velocities(const std::string& lines, const values& reference) {
  expect_values(
      "units lj\nlattice fcc 0.8442\nregion box block 0 4 0 3 0 5\ncreate_box 1 box\ncreate_atoms 1 box\n"
      "mass 1 1.5\n" +
          lines +
          "\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\n"
          "neigh_modify delay 0 every 20 check no\nfix 1 all nve\nrun 20\n",
      reference);
}

TEST(velocities, are_those_of_lammps_in_the_order_of_its_atoms) {
  expect_velocities("velocity all create 1.44 87287",
                    {0.6540005527434388, -5.600901573489348, 0.5601641286489103});
  expect_velocities("velocity all create 1.44 87287 dist gaussian",
                    {0.6710342108160672, -5.625317160477563, 0.4956872932649748});
  expect_velocities("velocity all create 1.44 87287 loop local",
                    {0.7068477580747408, -5.680331176030279, 0.322030784883483});
  expect_velocities("velocity all create 1.44 87287 dist gaussian loop local",
                    {0.6659801346579077, -5.617549882139236, 0.5330040342116643});
}

TEST(velocities, are_those_of_lammps_by_positions) {
  expect_velocities("velocity all create 1.44 87287 loop geom",
                    {0.6823011468426164, -5.642443412848645, 0.4307906677496541});
  expect_velocities("velocity all create 1.44 87287 loop geom dist gaussian",
                    {0.6431690514588471, -5.584093879430152, 0.7117069989291841});
  expect_velocities("velocity all create 1.44 87287 mom no rot yes loop geom",
                    {0.6867863110688376, -5.649073556529845, 0.4051529091916199});
}

TEST(velocities, are_added_as_by_lammps) {
  expect_velocities(
      "velocity all create 1.0 87287 loop geom\n"
      "velocity all create 0.5 4928 rot yes sum yes dist gaussian",
      {0.6925141454843969, -5.551965689244972, 0.8539033817970653});
  expect_velocities(
      "velocity all set 0.5 NULL 0.25\nvelocity all set NULL 0.5 1 sum yes units box\n"
      "velocity all create 0.5 4928 sum yes loop geom",
      {1.769292374932987, -6.438283736016131, -2.746215943979101});
  expect_velocities(
      "variable a equal 0.5*2\nvelocity all set v_a 0.1 NULL\nvelocity all create 0.7 87287 sum yes",
      {0.8808004357542407, -6.270405111756101, -2.604425898234793});
}

TEST(velocities, are_ramped_scaled_and_stilled_as_by_lammps) {
  expect_velocities(
      "velocity all ramp vx -1 1 z 0.5 2.5\nvelocity all ramp vy 0.5 2 x 1 4 units box\n"
      "velocity all ramp vx 0 1 y 0 3 sum yes",
      {2.725496752874151, -6.535450852400097, -2.729722546670169});
  expect_velocities(
      "velocity all ramp vx -1 1 z 0 3\nvelocity all create 0.1 87287 sum yes\nvelocity all scale 0.9",
      {0.7763619256340292, -6.58611700440325, -4.568648705120134});
  expect_velocities(
      "velocity all ramp vx -1 2 z 0 3\nvelocity all create 0.1 87287 sum yes mom no\n"
      "velocity all zero linear\nvelocity all zero angular",
      {0.7033081791263829, -6.533659154390201, -4.367650757936842});
}

std::string of_metal(const std::string& behind_potential, const std::string& behind_velocities) {
  return "units metal\nlattice fcc 3.615\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 "
         "box\n"
         "pair_style eam\npair_coeff 1 1 made_up.eam\n" +
         behind_potential + "velocity all create 1600.0 376847 loop geom\n" + behind_velocities +
         "neighbor 1.0 bin\nneigh_modify every 1 delay 5 check yes\nfix 1 all nve\ntimestep 0.001\nrun 20\n";
}

// The numbers depend on the last bit of the lattice constant, which 4 / constant^3 does not give back.
TEST(velocities, are_those_of_lammps_in_metal_units) {
  expect_values(of_metal("", ""), {1502.657522302534, -0.3588419523014057, 42593.67731619947});
}

TEST(velocities, are_those_of_lammps_in_real_units) {
  expect_values(
      "units real\nlattice fcc 5.7\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 box\n"
      "mass 1 39.95\npair_style lj/cut 8.76\npair_coeff 1 1 0.2339 3.504\nvelocity all create 200 12345\n"
      "fix 1 all nve\ntimestep 10\nrun 20\n",
      {79.40097451811074, -1.388002388312465, 1275.87562940924});
}

TEST(velocities, have_the_mass_that_was_given_last) {
  expect_values(of_metal("mass 1 40\n", ""), {1694.74233234768, -0.3834145790080296, -15441.10582311171});
  expect_values(of_metal("", "mass * 40.0\n"), {23928.14806525782, -0.156386563234895, 347273.4403735726});
}

TEST(velocities, are_the_same_to_the_bit_however_atoms_are_cut) {
  settings setup;
  problem& what = setup.parameters.what;
  what.lattice = {5, 5, 5};
  what.reproducible = true;
  what.velocities = {{random_velocities{.temperature = 1.4, .is_gaussian = true, .has_rotation = false}, 1}};
  setup.parameters.steps = 0;
  setup.write_restart = "kept";
  std::vector<measurement> runs(2);
  for (const std::size_t i : {0U, 1U}) {
    setup.machine.pes = i == 0 ? 1 : 3;
    ASSERT_EQ(
        measure(setup, i == 0 ? 1 : 4, nullptr, [](const thermo&, const std::vector<atom>&) {}, runs[i]), 0);
  }
  ASSERT_EQ(runs[0].last.atoms.size(), 500U);
  for (std::size_t i = 0; i < 500; ++i)
    EXPECT_EQ(runs[0].last.atoms[i].velocity, runs[1].last.atoms[i].velocity);
}

}  // namespace
}  // namespace minimd
