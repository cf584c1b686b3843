// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/options.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <imbrex/base/host/topology.hpp>

#include "apps/harness/option_values.hpp"
#include "apps/minimd/eam.hpp"

namespace minimd {
namespace {

using harness::count_of;
using harness::refuse;

struct texts {
  std::optional<std::string> input, size, steps, thermo, lists, newton, odf, potential, comm, oracle, json,
      yaml, dump, write_restart, read_restart;
  bool check = false, reproducible = false, quiet = false;
};

std::optional<std::string> read(texts& given, int argc, char** argv) {
  imbrex::command own(
      "minimd", "[OPTIONS]",
      "Molecular dynamics with neighbour lists, as miniMD: atoms on a lattice that melts, with "
      "Lennard-Jones or embedded-atom forces.");
  own.option("--input", "FILE", given.input, "an input file of miniMD, or with commands of LAMMPS")
      .option("--size", "N|X,Y,Z", given.size, "unit cells of four atoms along each side; 20 unless given")
      .option("--steps", "N", given.steps, "time steps; 100 unless given")
      .option("--thermo", "N", given.thermo,
              "steps from output to output; 0: the first and the last alone; 100 unless given")
      .option("--lists", "full|half", given.lists,
              "full: each pair is in the lists of both atoms; half: of one; full unless given")
      .option("--newton", "on|off", given.newton,
              "of half lists: a pair of two chares is computed by one and its force given back, or by both; "
              "on unless "
              "given")
      .option("--potential", "FILE", given.potential,
              "the file of an embedded-atom potential, in the format funcfl")
      .option("--odf", "N[,N...]", given.odf, "chares per PE, a run for each number; 1 unless given")
      .option("--comm", "host|message", given.comm,
              "how values of copies go from a device's block to another: through pinned memory of the host, "
              "or in "
              "messages "
              "of device memory; host unless given")
      .flag("--reproducible", given.reproducible,
            "results are the same to the bit for any number of chares, PEs and processes; slower")
      .flag("--check", given.check, "compare with the values of --oracle")
      .option("--oracle", "FILE", given.oracle, "known values, as JSON")
      .option("--json", "FILE", given.json, "write a line for each output to this file")
      .option("--yaml", "FILE", given.yaml, "write what was run and its times to this file")
      .option("--dump", "FILE", given.dump, "write positions at each output, as extended XYZ")
      .option("--write-restart", "FILE", given.write_restart, "write all atoms behind the last step")
      .option("--read-restart", "FILE", given.read_restart, "go on from there; the problem is the file's")
      .flag("--quiet", given.quiet, "print errors only");
  return harness::read_options(own, argc, argv);
}

imbrex::index<3> size_of(const std::string& text) {
  const auto numbers = harness::whole_numbers(text);
  if (!numbers || (numbers->size() != 1 && numbers->size() != 3) ||
      *std::ranges::max_element(*numbers) > most_cells)
    refuse("--size", text,
           "the unit cells must be a whole number from 1 to " + std::to_string(most_cells) +
               ", or three, such as --size 16,16,32");
  const auto& n = *numbers;
  return n.size() == 1 ? imbrex::index<3>(n[0], n[0], n[0]) : imbrex::index<3>(n[0], n[1], n[2]);
}

bool is_second(const char* option, const std::string& text, const std::string& first,
               const std::string& second) {
  if (text != first && text != second) refuse(option, text, "it must be " + first + " or " + second);
  return text == second;
}

void read_potential(settings& setup) {
  problem& what = setup.given.what;
  if (what.field == force_field::eam) {
    if (setup.given.potential_file.empty())
      throw imbrex::usage_error(
          "an embedded-atom problem needs --potential FILE, or pair_coeff in its input");
    take_potential(what, setup.given.potential_file);
  }
}

}  // namespace

void check_problem(const settings& setup) {
  const problem& what = setup.given.what;
  const auto box = what.box();
  for (std::size_t d = 0; d < 3; ++d)
    if (what.reproducible && box[d] < 2 * what.range())
      throw imbrex::usage_error(
          "--reproducible needs a box of twice the cut-off and skin along each side; leave it out, or take "
          "--size " +
          std::to_string(static_cast<int>(2 * what.range() / what.cell.constant()) + 1) + " or more");
  const auto refuse_there = [&](bool is_asked, const std::string& what_for) {
    if (is_asked)
      throw imbrex::usage_error("--device " + setup.machine.device + ": devices do not have " + what_for +
                                "; leave one of the two out");
  };
  if (setup.on_device()) {
    refuse_there(what.lists == list_kind::half, "half lists");
    refuse_there(what.reproducible, "--reproducible");
    refuse_there(what.renews_if_needed, "renewals of lists where they must be (neigh_modify check yes)");
  }
  if (setup.machine.device_data) return;
  if (!setup.on_device())
    throw imbrex::usage_error("--no-data: only a device has data to be left out; add --device");
  for (const auto& [option, is_given] : {std::pair("--check", setup.check),
                                         {"--json", !setup.json.empty()},
                                         {"--dump", !setup.dump.empty()},
                                         {"--write-restart", !setup.write_restart.empty()},
                                         {"--read-restart", !setup.read_restart.empty()}})
    if (is_given)
      throw imbrex::usage_error(std::string(option) +
                                " with --no-data: there are no atoms to look at; leave out one of the two");
}

void be_copper(problem& what) {
  what.in = unit_system::metal;
  what.field = force_field::eam;
  what.mass = 0;
  what.cell = unit_cell::of_density(0.07041125);
  what.temperature = 600;
  what.time_step = 0.001;
  what.skin = 1;
}

void take_potential(problem& what, const std::string& file) {
  what.potential = text_of_file(file, "the potential");
  const auto potential = eam_potential::of(what.potential, file);
  if (what.mass == 0) what.mass = potential.mass;
  for (velocity_change& change : what.velocities)
    if (change.mass == 0) change.mass = potential.mass;
  what.cutoff = potential.cutoff;
}

std::string text_of_file(const std::string& name, const std::string& purpose) {
  std::error_code problem;
  std::ifstream file(name, std::ios::binary);
  if (!file || std::filesystem::is_directory(name, problem))
    throw imbrex::usage_error("'" + name + "', " + purpose +
                              ", cannot be read: give the name of a file that exists");
  return {std::istreambuf_iterator<char>(file), {}};
}

settings parse_settings(int argc, char** argv) {
  settings setup;
  setup.machine = imbrex::parse_options(argc, argv);
  setup.processes = imbrex::num_processes();
  if (setup.machine.pes == 0) setup.machine.pes = std::max(1, imbrex::usable_processors() / setup.processes);
  texts given;
  if (auto help = read(given, argc, argv)) {
    setup.help = *std::move(help);
    return setup;
  }
  if (given.read_restart)
    for (const auto& [option, is_given] : {std::pair("--input", given.input.has_value()),
                                           {"--size", given.size.has_value()},
                                           {"--potential", given.potential.has_value()}})
      if (is_given)
        throw imbrex::usage_error(
            std::string(option) +
            " with --read-restart: the problem is the file's; leave out one of the two");
  if (given.input) setup.given = parse_input(text_of_file(*given.input, "the input"), *given.input);
  problem& what = setup.given.what;
  if (given.size) what.lattice = size_of(*given.size);
  if (given.steps) setup.given.steps = count_of("--steps", *given.steps, 0, "number of steps");
  if (given.thermo) setup.given.thermo = count_of("--thermo", *given.thermo, 0, "number of steps");
  if (given.lists)
    what.lists = is_second("--lists", *given.lists, "full", "half") ? list_kind::half : list_kind::full;
  if (given.newton && what.lists == list_kind::full)
    refuse("--newton", *given.newton, "only half lists have a choice; add --lists half, or leave it out");
  if (given.newton) what.newton = !is_second("--newton", *given.newton, "on", "off");
  if (given.potential) {
    setup.given.potential_file = harness::file_of("--potential", *given.potential);
    if (what.field != force_field::eam && given.input)
      throw imbrex::usage_error("--potential is for an embedded-atom problem, and the input has another");
    if (!given.input) be_copper(what);
  }
  if (given.odf) setup.odf = harness::odf_of(*given.odf);
  what.reproducible = given.reproducible;
  setup.check = given.check;
  if (given.oracle) setup.oracle = harness::file_of("--oracle", *given.oracle);
  if (setup.check && setup.oracle.empty())
    throw imbrex::usage_error("--check needs the known values: --oracle FILE");
  if (given.json) setup.json = harness::file_of("--json", *given.json);
  if (given.yaml) setup.yaml = harness::file_of("--yaml", *given.yaml);
  if (given.dump) setup.dump = harness::file_of("--dump", *given.dump);
  if (given.write_restart) setup.write_restart = harness::file_of("--write-restart", *given.write_restart);
  if (given.read_restart) setup.read_restart = harness::file_of("--read-restart", *given.read_restart);
  setup.quiet = given.quiet;
  if (given.comm) {
    if (!setup.on_device())
      refuse("--comm", *given.comm, "only blocks on a device have a choice; add --device, or leave it out");
    setup.comm =
        is_second("--comm", *given.comm, "host", "message") ? communication::message : communication::host;
  }
  read_potential(setup);
  check_problem(setup);
  return setup;
}

}  // namespace minimd
