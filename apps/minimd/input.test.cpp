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

// in.lj of LAMMPS's benchmarks, but for its size.
const std::string of_lammps =
    "units lj\n"
    "lattice fcc 0.8442\n"
    "region box block 0 4 0 4 0 4\n"
    "create_box 1 box\n"
    "create_atoms 1 box\n"
    "mass 1 1.0\n"
    "velocity all create 1.44 87287 loop geom\n"
    "pair_style lj/cut 2.5\n"
    "pair_coeff 1 1 1.0 1.0 2.5\n"
    "neighbor 0.3 bin\n"
    "neigh_modify delay 0 every 20 check no\n"
    "fix 1 all nve\n"
    "run 100\n";

/// With another line in the place of that which begins so; none if `line` is empty.
std::string with_line(const std::string& begin, const std::string& line) {
  const auto at = of_lammps.find(begin);
  return of_lammps.substr(0, at) + line + of_lammps.substr(of_lammps.find('\n', at) + (line.empty() ? 1 : 0));
}

// As LAMMPS does: without a command a value is its, and what has none is an error.
TEST(input, has_the_values_of_lammps_for_what_is_not_said) {
  EXPECT_EQ(refusal(of_lammps), "");
  const problem whole = parse_input(of_lammps, "in").what;
  EXPECT_EQ(whole.temperature, 1.44);
  EXPECT_EQ(whole.renewal, 20);
  EXPECT_FALSE(whole.renews_if_needed);
  EXPECT_EQ(parse_input(with_line("velocity", ""), "in").what.temperature, 0);
  EXPECT_EQ(parse_input(with_line("neighbor", ""), "in").what.skin, 0.3);
  EXPECT_EQ(refusal(with_line("units", "")), "");
  const problem checked = parse_input(with_line("neigh_modify", ""), "in").what;
  EXPECT_TRUE(checked.renews_if_needed);
  EXPECT_EQ(checked.renewal, 1);
  EXPECT_EQ(checked.delay, 0);
  EXPECT_EQ(refusal(with_line("lattice", "")), "in, line 2: region needs the command lattice before it");
  EXPECT_EQ(refusal(with_line("region", "")), "in, line 3: create_box needs the command region before it");
  EXPECT_EQ(refusal(with_line("create_box", "")),
            "in, line 4: create_atoms needs the command create_box before it");
  EXPECT_EQ(refusal(with_line("create_atoms", "")),
            "in, line 6: velocity needs the command create_atoms before it");
  EXPECT_EQ(refusal(with_line("mass", "")), "in, line 12: run needs the command mass before it");
  EXPECT_EQ(refusal(with_line("pair_style", "")),
            "in, line 8: pair_coeff needs the command pair_style before it");
  EXPECT_EQ(refusal(with_line("pair_coeff", "")), "in, line 12: run needs the command pair_coeff before it");
  EXPECT_EQ(refusal(with_line("fix", "")), "in, line 12: run needs the command fix before it");
}

TEST(input, has_all_ways_to_renew_lists) {
  const auto of = [](const char* line) { return parse_input(with_line("neigh_modify", line), "in").what; };
  const problem of_copper = of("neigh_modify every 1 delay 5 check yes");
  EXPECT_EQ(of_copper.renewal, 1);
  EXPECT_EQ(of_copper.delay, 5);
  EXPECT_TRUE(of_copper.renews_if_needed);
  const problem later = of("neigh_modify every 2 delay 10 check no");
  EXPECT_EQ(later.renewal, 10);
  EXPECT_FALSE(later.renews_if_needed);
  EXPECT_EQ(refusal(with_line("neigh_modify", "neigh_modify every 2 delay 5")),
            "in, line 11: the delay of 5 steps must be a multiple of the 2 steps between renewals");
  EXPECT_EQ(refusal(with_line("neigh_modify", "neigh_modify check perhaps")),
            "in, line 11: check must be yes or no");
}

TEST(input, refuses_numbers_that_cannot_be) {
  EXPECT_EQ(refusal(with_line("region", "region box block 0 4 0 4 0 3000000000")),
            "in, line 3: a side of the region is 3000000000, and must be a whole number from 1 to 100000");
  EXPECT_EQ(refusal(with_line("region", "region box block 0 1e10 0 4 0 4")),
            "in, line 3: a side of the region is 1e10, and must be a whole number from 1 to 100000");
  std::string large = of_minimd;
  large.replace(large.find("32 16 8"), 7, "32 16 3000000000");
  EXPECT_EQ(refusal(large),
            "in, line 7: the size of the problem is 3000000000, and must be a whole number from 1 to 100000");
  EXPECT_EQ(refusal(with_line("pair_coeff", "pair_coeff 1 1 nan 1")),
            "in, line 9: epsilon is nan, and must be a finite number");
  EXPECT_EQ(refusal(with_line("pair_coeff", "pair_coeff 1 1 1e999 1")),
            "in, line 9: epsilon is 1e999, and must be a finite number");
  EXPECT_EQ(refusal(with_line("neighbor", "neighbor -0.3 bin")),
            "in, line 10: the skin is -0.3, and must be 0 or more");
  EXPECT_EQ(refusal(with_line("run", "run -5")),
            "in, line 13: the number of steps is -5, and must be a whole number from 0 to 1000000000000000");
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
  EXPECT_EQ(refusal("timestep 0.001\nunits lj\n"), "in, line 2: units must stand before timestep");
  EXPECT_EQ(refusal(with_line("run", "run 1.5")),
            "in, line 13: the number of steps is 1.5, and must be a whole number from 0 to 1000000000000000");
  EXPECT_EQ(refusal(of_lammps + "thermo 5\n"),
            "in, line 14: thermo behind run: a file has one run, at its end");
  EXPECT_EQ(refusal("units lj\n"), "in, line 2: the file ends without a run");
  EXPECT_EQ(refusal(of_minimd.substr(0, of_minimd.find("0.8 "))),
            "in, line 11: the file ends too early: a file of miniMD has 14 lines");
  EXPECT_EQ(refusal("a\nb\nlj\nnone\ngravity\n"),
            "in, line 5: the force style must be lj or eam, not gravity");
}

}  // namespace
}  // namespace minimd
