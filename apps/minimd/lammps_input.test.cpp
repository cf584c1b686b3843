// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/input.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

#include <imbrex/error.hpp>
#include <imbrex/testing/error_of.hpp>

namespace minimd {
namespace {

using imbrex::testing::error_of;

TEST(lammps_input, reads_commands_of_lammps) {
  const input parameters = parse_input(
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
  EXPECT_EQ(parameters.what.in, unit_system::metal);
  EXPECT_EQ(parameters.what.field, force_field::eam);
  EXPECT_EQ(parameters.what.cell.constant(), 3.615);  // to the bit
  EXPECT_EQ(parameters.what.lattice, imbrex::index3(20, 10, 5));
  EXPECT_EQ(parameters.potential_file, "Cu_u6.eam");
  const auto velocities = std::get<random_velocities>(parameters.what.velocities.at(0).what);
  EXPECT_EQ(velocities.temperature, 1600);
  EXPECT_EQ(velocities.seed, 376847);
  EXPECT_EQ(velocities.source, number_source::position);
  EXPECT_EQ(parameters.what.skin, 1);
  EXPECT_EQ(parameters.what.renewal, 5);
  EXPECT_EQ(parameters.what.time_step, 0.005);
  EXPECT_EQ(parameters.thermo, 50);
  EXPECT_EQ(parameters.steps, 100);
}

std::string refusal(const std::string& text) {
  return error_of<imbrex::usage_error>([&] { parse_input(text, "in"); });
}

// LAMMPS's benchmark in.lj with another size.
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

/// The input with `line` in place of the line that begins with `begin`; without that line if `line` is empty.
std::string with_line(const std::string& begin, const std::string& line) {
  const auto at = of_lammps.find(begin);
  return of_lammps.substr(0, at) + line + of_lammps.substr(of_lammps.find('\n', at) + (line.empty() ? 1 : 0));
}

// Like LAMMPS: a missing command leaves LAMMPS's default, and a value without a default is an error.
TEST(lammps_input, has_the_values_of_lammps_for_what_is_not_said) {
  EXPECT_EQ(refusal(of_lammps), "");
  const problem whole = parse_input(of_lammps, "in").what;
  EXPECT_EQ(whole.velocities.size(), 1U);
  EXPECT_EQ(whole.renewal, 20);
  EXPECT_FALSE(whole.renews_if_needed);
  const problem at_rest = parse_input(with_line("velocity", ""), "in").what;
  EXPECT_TRUE(at_rest.velocities.empty());
  EXPECT_EQ(at_rest.temperature, 0);
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
  EXPECT_EQ(refusal(with_line("mass", "")),
            "in, line 6: velocity needs the mass of the atoms before it, from mass or pair_coeff of eam");
  EXPECT_EQ(refusal(with_line("pair_style", "")),
            "in, line 8: pair_coeff needs the command pair_style before it");
  EXPECT_EQ(refusal(with_line("pair_coeff", "")), "in, line 12: run needs the command pair_coeff before it");
  EXPECT_EQ(refusal(with_line("fix", "")), "in, line 12: run needs the command fix before it");
}

TEST(lammps_input, has_all_ways_to_renew_lists) {
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

TEST(lammps_input, refuses_numbers_that_cannot_be) {
  EXPECT_EQ(refusal(with_line("region", "region box block 0 4 0 4 0 3000000000")),
            "in, line 3: a side of the region is 3000000000, and must be a whole number from 1 to 100000");
  EXPECT_EQ(refusal(with_line("region", "region box block 0 1e10 0 4 0 4")),
            "in, line 3: a side of the region is 1e10, and must be a whole number from 1 to 100000");
  EXPECT_EQ(refusal(with_line("pair_coeff", "pair_coeff 1 1 nan 1")),
            "in, line 9: epsilon is nan, and must be a finite number");
  EXPECT_EQ(refusal(with_line("pair_coeff", "pair_coeff 1 1 1e999 1")),
            "in, line 9: epsilon is 1e999, and must be a finite number");
  EXPECT_EQ(refusal(with_line("neighbor", "neighbor -0.3 bin")),
            "in, line 10: the skin is -0.3, and must be 0 or more");
  EXPECT_EQ(refusal(with_line("run", "run -5")),
            "in, line 13: the number of steps is -5, and must be a whole number from 0 to 2147483647");
}

TEST(lammps_input, is_refused_with_the_line) {
  EXPECT_EQ(refusal("units lj\n\ndump 1 all xyz\nrun 1\n"),
            "in, line 3: there is no command dump here; known are atom_modify, atom_style, boundary, "
            "create_atoms, create_box, dimension, echo, fix, lattice, mass, neigh_modify, neighbor, newton, "
            "pair_coeff, pair_style, processors, region, run, thermo, timestep, units, variable, velocity");
  EXPECT_EQ(refusal("units si\n"), "in, line 1: units must be lj, metal or real, not si");
  EXPECT_EQ(refusal("units lj\nlattice fcc none\n"),
            "in, line 2: a number is missing for the lattice, not none");
  EXPECT_EQ(refusal("units lj\nlattice fcc -1\n"), "in, line 2: the lattice is -1, and must be more than 0");
  EXPECT_EQ(refusal("units lj\nlattice fcc 1e60\n"),
            "in, line 2: the lattice is 1e60, and must be from 1e-50 to 1e50");
  EXPECT_EQ(refusal("units lj\nfix 1 all nvt\n"), "in, line 2: the only fix is nve, of all: fix 1 all nve");
  EXPECT_EQ(refusal("timestep 0.001\nunits lj\n"), "in, line 2: units must stand before timestep");
  EXPECT_EQ(refusal(with_line("run", "run 1.5")),
            "in, line 13: the number of steps is 1.5, and must be a whole number from 0 to 2147483647");
  EXPECT_EQ(refusal(of_lammps + "thermo 5\n"),
            "in, line 14: thermo behind run: a file has one run, at its end");
  EXPECT_EQ(refusal("units lj\n"), "in, line 2: the file ends without a run");
}

// The mass of the potential is 0 until the potential is read.
TEST(lammps_input, has_the_mass_that_was_given_last) {
  const std::string copper =
      "units metal\nlattice fcc 3.615\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 box\n";
  const std::string end = "fix 1 all nve\nrun 1\n";
  const std::string eam = "pair_style eam\npair_coeff 1 1 Cu_u3.eam\n", hot = "velocity all create 100 1\n";
  const auto masses = [&](const std::string& middle) {
    const problem what = parse_input(copper + middle + end, "in").what;
    return std::pair(what.velocities.at(0).mass, what.mass);
  };
  EXPECT_EQ(masses(eam + hot), std::pair(0.0, 0.0));
  EXPECT_EQ(masses("mass 1 40\n" + eam + hot), std::pair(0.0, 0.0));
  EXPECT_EQ(masses(eam + "mass 1 40\n" + hot), std::pair(40.0, 40.0));
  EXPECT_EQ(masses(eam + hot + "mass * 40\n"), std::pair(0.0, 40.0));
}

TEST(lammps_input, continues_lines) {
  const auto cells = [](const char* region) {
    return parse_input(with_line("region", region), "in").what.lattice;
  };
  EXPECT_EQ(cells("region box block 0 4 & \t\n 0 5 &\r\n 0 +6"), imbrex::index3(4, 5, 6));
  EXPECT_EQ(cells("region box block 0 4 0 5 0 6 # &\n and a comment"), imbrex::index3(4, 5, 6));
  EXPECT_EQ(parse_input(with_line("run", "run &\n7 &"), "in").steps, 7);
}

TEST(lammps_input, has_variables) {
  // The beginning of LAMMPS's benchmark in.lj.
  const std::string variables =
      "variable x index 1 5\nvariable x index 2\nvariable y index 1\n\n"
      "variable xx equal 2*$x\nvariable yy equal 3*$y\n";
  const auto of = [&](const std::string& region) {
    return parse_input(variables + with_line("region", region), "in").what.lattice;
  };
  EXPECT_EQ(of("region box block 0 ${xx} 0 ${yy} 0 $x"), imbrex::index3(2, 3, 1));
  EXPECT_EQ(of("region box block 0 $(v_xx*v_yy) 0 $(round(7/2):%.0f) 0 \"9\""), imbrex::index3(6, 4, 9));
  EXPECT_EQ(of("variable z string \"0 7\"\nregion box block $z 0 1 0 1"), imbrex::index3(7, 1, 1));
  EXPECT_EQ(of("variable fx atom fx\nvariable yy delete\nregion box block 0 1 0 1 0 1"),
            imbrex::index3(1, 1, 1));
}

double formula(const std::string& text) {
  return parse_input("variable f equal " + text + "\n" + with_line("mass", "mass 1 ${f}"), "in").what.mass;
}

// The values are LAMMPS's.
TEST(lammps_input, evaluates_formulas) {
  for (const auto& [text, value] : {std::pair("-2^2", 4.0),
                                    {"2^3^2", 64.0},
                                    {"10-2-3*2", 2.0},
                                    {"2^-1", 0.5},
                                    {"!0+1", 2.0},
                                    {"7.5%2", 1.5},
                                    {"1==1&&0||1", 1.0},
                                    {"3<2==0", 1.0},
                                    {"1|^1|^1", 1.0},
                                    {"--2", 2.0},
                                    {"3*-2+7", 1.0},
                                    {"\"1 + 2\"", 3.0},
                                    {"ceil(1.2)+atan2(1,2)+log(100)+ln(2)", 5.15679478956075},
                                    {"sqrt(4)+PI-PI+abs(-1)", 3.0},
                                    {"1e3/3", 333.333333333333}})  // fifteen digits
    EXPECT_EQ(formula(text), value) << text;
}

TEST(lammps_input, refuses_formulas_and_variables_that_cannot_be) {
  const auto of = [](const std::string& lines) {
    return refusal(lines + "\n" + with_line("mass", "mass 1 $f"));
  };
  const auto of_formula = [&](const std::string& text) { return of("variable f equal " + text); };
  const std::string begin = "in, line 7: the formula '";
  EXPECT_EQ(of_formula("1+"), begin + "1+' cannot be evaluated: it ends too early");
  EXPECT_EQ(of_formula("(1"), begin + "(1' cannot be evaluated: a closing parenthesis is missing");
  EXPECT_EQ(of_formula("1)"),
            begin + "1)' cannot be evaluated: something stands behind its end, from ')' on");
  EXPECT_EQ(of_formula("1/0"), begin + "1/0' cannot be evaluated: it divides by 0");
  EXPECT_EQ(of_formula("sqrt(-1)"), begin + "sqrt(-1)' cannot be evaluated: sqrt of -1 is not finite");
  EXPECT_EQ(of_formula("temp"),
            begin +
                "temp' cannot be evaluated: there is no value temp here; known are numbers, variables "
                "v_NAME, PI, on, off, yes, no, true and false");
  EXPECT_EQ(of_formula("random(1,2,3)"), begin +
                                             "random(1,2,3)' cannot be evaluated: there is no function "
                                             "random here; known are sqrt, exp, ln, log, abs, sin, cos, "
                                             "tan, asin, acos, atan, ceil, floor, round, atan2");
  EXPECT_EQ(of_formula("v_g"),
            "in, line 7: there is no variable 'g'; add a line such as: variable g index 1");
  EXPECT_NE(of_formula("v_f").find("it is nested more than 100 deep; a variable may name itself"),
            std::string::npos);
  EXPECT_NE(of_formula(std::string(100'000, '(')).find("nested more than 100 deep"), std::string::npos);
  std::string doubled = "variable a0 equal 1\n";
  for (int i = 1; i < 40; ++i)
    doubled += "variable a" + std::to_string(i) + " equal v_a" + std::to_string(i - 1) + "+v_a" +
               std::to_string(i - 1) + "\n";
  EXPECT_NE(of(doubled + "variable f equal v_a39").find("it has more than 100000 values"), std::string::npos);
  EXPECT_EQ(of("variable f atom fx"),
            "in, line 7: the variable f has a value for each atom, which cannot be used here");
  EXPECT_EQ(of("variable f loop 5"),
            "in, line 1: there is no style loop of variables here; known are atom, "
            "delete, equal, index, string");
  EXPECT_EQ(of("variable f string 1 2"),
            "in, line 1: variable f takes one value, and not 2 besides; put a "
            "value with blanks in quotes");
  EXPECT_EQ(of("variable f string ${"), "in, line 1: ${ is not closed");
  EXPECT_EQ(of("variable f string 'a"), "in, line 1: the quotes before 'a' do not end");
  EXPECT_EQ(of("variable f index $(1:%s)"),
            "in, line 1: the format '%s' of a formula must be like %g, %.6g, %.6f or %.6e");
}

TEST(lammps_input, takes_what_does_not_concern_it) {
  EXPECT_EQ(refusal("echo both\nprocessors * 2 *\nboundary p p p\ndimension 3\nnewton on off\natom_modify "
                    "map array sort 0 0\n" +
                    of_lammps),
            "");
  EXPECT_EQ(refusal("boundary p p f\n"), "in, line 1: the box is periodic in all directions: boundary p p p");
  EXPECT_EQ(refusal("processors 0 * *\n"),
            "in, line 1: the number of processors is 0, and must be a whole number from 1 to 100000");
  EXPECT_EQ(refusal("newton\n"), "in, line 1: newton must be on or off");
  EXPECT_EQ(refusal("atom_modify id no\n"), "in, line 1: atom_modify must be map or sort, not id");
  EXPECT_EQ(refusal("echo loudly\n"), "in, line 1: echo must be none, screen, log or both, not loudly");
}

TEST(lammps_input, takes_the_box_and_its_atoms_once) {
  const auto twice = [](const char* line) { return refusal(with_line("pair_style", line)); };
  EXPECT_EQ(twice("create_atoms 1 box"), "in, line 8: a file has one create_atoms; leave out the second");
  EXPECT_EQ(twice("lattice fcc 0.5"), "in, line 8: a file has one lattice; leave out the second");
}

TEST(lammps_input, refuses_velocities_that_it_does_not_have) {
  const auto of = [](const char* line) { return refusal(with_line("velocity", line)); };
  EXPECT_EQ(of("velocity left create 1 1"), "in, line 7: velocity is for the group all, and not for left");
  EXPECT_EQ(of("velocity all guess"),
            "in, line 7: velocity must be create, set, scale, ramp or zero, not guess");
  EXPECT_EQ(of("velocity all create 1 1 bias yes"),
            "in, line 7: a keyword of velocity must be dist, sum, mom, rot, loop or units, not bias");
  EXPECT_EQ(of("velocity all create 1 1 loop"), "in, line 7: loop must be all, local or geom");
  EXPECT_EQ(of("velocity all create 1 0"),
            "in, line 7: the seed is 0, and must be a whole number from 1 to 2147483647");
  EXPECT_EQ(of("velocity all ramp vx 0 1 z 2 2"), "in, line 7: a ramp must begin before 2, and not at 2");
  EXPECT_EQ(of("velocity all set 1 2"), "in, line 7: a number is missing for a component of the velocity");
}

}  // namespace
}  // namespace minimd
