// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/input.hpp"

#include <gtest/gtest.h>

#include <string>

#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace minimd {
namespace {

using imbrex::testing::error_of;

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
  const input parameters = parse_input(of_minimd, "in.lj.miniMD");
  EXPECT_EQ(parameters.what.in, unit_system::lj);
  EXPECT_EQ(parameters.what.field, force_field::lj);
  EXPECT_EQ(parameters.what.sigma, 1.5);
  EXPECT_EQ(parameters.what.lattice, imbrex::index3(32, 16, 8));
  EXPECT_EQ(parameters.steps, 250);
  EXPECT_EQ(parameters.what.time_step, 0.004);
  EXPECT_EQ(parameters.what.cell.density(), 0.8);
  EXPECT_EQ(parameters.what.renewal, 10);
  EXPECT_EQ(parameters.what.cutoff, 2.4);
  EXPECT_EQ(parameters.what.skin, 0.4);
  EXPECT_EQ(parameters.thermo, 50);
}

std::string refusal(const std::string& text) {
  return error_of<imbrex::usage_error>([&] { parse_input(text, "in"); });
}

TEST(input, is_refused_with_the_line) {
  std::string large = of_minimd;
  large.replace(large.find("32 16 8"), 7, "32 16 3000000000");
  EXPECT_EQ(refusal(large),
            "in, line 7: the size of the problem is 3000000000, and must be a whole number from 1 to 100000");
  EXPECT_EQ(refusal(of_minimd.substr(0, of_minimd.find("0.8 "))),
            "in, line 11: the file ends too early: a file of miniMD has 14 lines");
  EXPECT_EQ(refusal("a\nb\nlj\nnone\ngravity\n"),
            "in, line 5: the force style must be lj or eam, not gravity");
}

}  // namespace
}  // namespace minimd
