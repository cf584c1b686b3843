// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/input.hpp"

#include <gtest/gtest.h>

#include <string>

#include <imbrex/base/error.hpp>

namespace minimd {
namespace {

const std::string of_minimd =
    "Lennard-Jones input file for MD benchmark\n"
    "\n"
    "lj             units (lj or metal)\n"
    "none           data file (none or filename)\n"
    "lj             force style (lj or eam)\n"
    "1.0 1.5        LJ parameters (epsilon and sigma)\n"
    "32 16 8        size of problem\n"
    "250            timesteps\n"
    "0.004          timestep size\n"
    "1.44           initial temperature\n"
    "0.8            density\n"
    "10             reneighboring every this many steps\n"
    "2.4 0.40       force cutoff and neighbor skin\n"
    "50             thermo calculation every this many steps (0 = start,end)\n";

TEST(input, reads_a_file_of_minimd) {
  const input given = parse_input(of_minimd, "in.lj.miniMD");
  EXPECT_EQ(given.what.in, unit_system::lj);
  EXPECT_EQ(given.what.field, force_field::lj);
  EXPECT_EQ(given.what.sigma, 1.5);
  EXPECT_EQ(given.what.lattice, imbrex::index3(32, 16, 8));
  EXPECT_EQ(given.steps, 250);
  EXPECT_EQ(given.what.time_step, 0.004);
  EXPECT_EQ(given.what.density, 0.8);
  EXPECT_EQ(given.what.renewal, 10);
  EXPECT_EQ(given.what.cutoff, 2.4);
  EXPECT_EQ(given.what.skin, 0.4);
  EXPECT_EQ(given.thermo, 50);
}

TEST(input, reads_commands_of_lammps) {
  const input given = parse_input(
      "# 3d copper\n"
      "units           metal\n"
      "atom_style atomic\n"
      "lattice fcc 3.615\n"
      "region box block 0 20 0 &\n"
      "  10 0 5\n"
      "create_box 1 box\n"
      "create_atoms 1 box\n"
      "pair_style eam\n"
      "pair_coeff 1 1 Cu_u6.eam\n"
      "velocity all create 1600.0 376847 loop geom\n"
      "neighbor 1.0 bin\n"
      "neigh_modify every 5 delay 0 check no\n"
      "fix 1 all nve\n"
      "timestep 0.005\n"
      "thermo 50\n"
      "run 100\n",
      "in.eam");
  EXPECT_EQ(given.what.in, unit_system::metal);
  EXPECT_EQ(given.what.field, force_field::eam);
  EXPECT_NEAR(given.what.constant(), 3.615, 1e-14);
  EXPECT_EQ(given.what.lattice, imbrex::index3(20, 10, 5));
  EXPECT_EQ(given.potential_file, "Cu_u6.eam");
  EXPECT_EQ(given.what.temperature, 1600);
  EXPECT_EQ(given.what.velocity_seed, 376847);
  EXPECT_EQ(given.what.skin, 1);
  EXPECT_EQ(given.what.renewal, 5);
  EXPECT_EQ(given.what.time_step, 0.005);
  EXPECT_EQ(given.thermo, 50);
  EXPECT_EQ(given.steps, 100);
}

std::string refusal(const std::string& text) {
  try {
    parse_input(text, "in");
    return "";
  } catch (const imbrex::usage_error& e) {
    return e.what();
  }
}

TEST(input, is_refused_with_the_line) {
  EXPECT_EQ(
      refusal("units lj\n\ndump 1 all xyz\nrun 1\n"),
      "in, line 3: there is no command dump here; known are atom_style, create_atoms, create_box, fix, "
      "lattice, mass, neigh_modify, neighbor, pair_coeff, pair_style, region, run, thermo, timestep, units, "
      "velocity");
  EXPECT_EQ(refusal("units real\n"), "in, line 1: units must be lj or metal");
  EXPECT_EQ(refusal("units lj\nlattice fcc none\n"),
            "in, line 2: a number is missing for the lattice, not none");
  EXPECT_EQ(refusal("units lj\nlattice fcc -1\n"), "in, line 2: the lattice is -1, and must be more than 0");
  EXPECT_EQ(refusal("units lj\nfix 1 all nvt\n"), "in, line 2: the only fix is nve, of all: fix 1 all nve");
  EXPECT_EQ(refusal("units lj\nneigh_modify check yes\n"),
            "in, line 2: check must be no: lists are renewed every so many steps");
  EXPECT_EQ(refusal("units lj\nrun 1.5\n"),
            "in, line 2: the number of steps is 1.5, and must be a whole number from 0");
  EXPECT_EQ(refusal("units lj\nrun 1\nthermo 5\n"),
            "in, line 3: thermo behind run: a file has one run, at its end");
  EXPECT_EQ(refusal("units lj\n"), "in, line 2: the file ends without a run");
  EXPECT_EQ(refusal(of_minimd.substr(0, of_minimd.find("0.8 "))),
            "in, line 11: the file ends too early: a file of miniMD has 14 lines");
  EXPECT_EQ(refusal("a\nb\nlj\nnone\ngravity\n"),
            "in, line 5: the force style must be lj or eam, not gravity");
}

}  // namespace
}  // namespace minimd
