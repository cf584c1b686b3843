// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/number.hpp>

#include "apps/harness/option_values.hpp"
#include "apps/minimd/eam.hpp"

namespace minimd {
namespace {

using harness::count_of;
using harness::refuse;

struct texts {
  std::optional<std::string> input, size, droplet, steps, thermo, lists, newton, odf, potential, comm, oracle,
      json, yaml, dump, write_restart, read_restart;
  bool check = false, reproducible = false, quiet = false;
};

std::optional<std::string> read(texts& parameters, int argc, char** argv) {
  imbrex::command own(
      "minimd", "[OPTIONS]",
      "Molecular dynamics with neighbour lists, as miniMD: atoms on a lattice that melts, with "
      "Lennard-Jones or embedded-atom forces.");
  own.option("--input", "FILE", parameters.input, "input file of miniMD, or of LAMMPS commands")
      .option("--size", "N|X,Y,Z", parameters.size, "unit cells of four atoms along each side (default 20)")
      .option(
          "--droplet", "R", parameters.droplet,
          "keep only the atoms in a ball of that radius, in unit cells, about a quarter of each side: work "
          "for --balance")
      .option("--steps", "N", parameters.steps, "number of time steps (default 100)")
      .option("--thermo", "N", parameters.thermo,
              "steps between outputs, or 0 for only the first and the last (default 100)")
      .option(
          "--lists", "full|half", parameters.lists,
          "neighbour lists: full (default), each pair in the lists of both atoms; half, in the list of one")
      .option("--newton", "on|off", parameters.newton,
              "computation of a pair of two chares with half lists: on (default), by one, which sends the "
              "force back; off, by both")
      .option("--potential", "FILE", parameters.potential,
              "file of an embedded-atom potential, in the format funcfl")
      .option("--odf", "N[,N...]", parameters.odf, "chares per PE, a run for each number (default 1)")
      .option("--comm", "host|message", parameters.comm,
              "path of halo values between blocks on devices: host (default), through pinned host memory; "
              "message, in messages of device memory")
      .flag("--reproducible", parameters.reproducible,
            "compute results that are equal bit for bit for any number of chares, PEs and processes; slower")
      .flag("--check", parameters.check, "compare results with the values of --oracle")
      .option("--oracle", "FILE", parameters.oracle, "file of known values, as JSON")
      .option("--json", "FILE", parameters.json, "write a line for each output to this file")
      .option("--yaml", "FILE", parameters.yaml, "write the problem and its times to this file")
      .option("--dump", "FILE", parameters.dump, "write positions at each output, as extended XYZ")
      .option("--write-restart", "FILE", parameters.write_restart,
              "write all atoms to this file after the last step")
      .option("--read-restart", "FILE", parameters.read_restart,
              "continue from the atoms and problem in this file")
      .flag("--quiet", parameters.quiet, "print errors only");
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

double radius_of(const std::string& text, const imbrex::index<3>& lattice) {
  const double most = 0.5 * std::min({lattice[0], lattice[1], lattice[2]});
  const auto radius = imbrex::parse_number<double>(text);
  if (!radius || !(*radius >= 1 && *radius <= most))
    refuse("--droplet", text,
           fmt::format("the radius must be a number of unit cells from 1 to {:g}, half the shortest side",
                       most));
  return *radius;
}

void read_potential(settings& setup) {
  problem& what = setup.parameters.what;
  if (what.field == force_field::eam) {
    if (setup.parameters.potential_file.empty())
      throw imbrex::usage_error(
          "an embedded-atom problem needs --potential FILE, or pair_coeff in its input");
    take_potential(what, setup.parameters.potential_file);
  }
}

}  // namespace

void check_problem(const settings& setup) {
  const problem& what = setup.parameters.what;
  const auto box = what.box();
  for (std::size_t d = 0; d < 3; ++d)
    if (what.reproducible && box[d] < 2 * what.range())
      throw imbrex::usage_error(
          "--reproducible needs a box of twice the cut-off and skin along each side; leave it out, or take "
          "--size " +
          std::to_string(static_cast<int>(2 * what.range() / what.cell.constant()) + 1) + " or more");
  const auto refuse_there = [&](bool is_requested, const std::string& what_for) {
    if (is_requested)
      throw imbrex::usage_error("--device " + setup.machine.device + ": devices do not have " + what_for +
                                "; leave one of the two out");
  };
  if (setup.on_device()) {
    refuse_there(what.lists == list_kind::half, "half lists");
    refuse_there(what.reproducible, "--reproducible");
    const std::string& strategy = setup.machine.balance.strategy;
    refuse_there(!strategy.empty() && strategy != "none", "blocks that migrate (--balance)");
    refuse_there(what.renews_if_needed, "renewals of lists where they must be (neigh_modify check yes)");
  }
  if (setup.machine.device_data) return;
  if (!setup.on_device())
    throw imbrex::usage_error("--no-data: only a device has data to be left out; add --device");
  for (const auto& [option, is_present] : {std::pair("--check", setup.check),
                                           {"--json", !setup.json.empty()},
                                           {"--dump", !setup.dump.empty()},
                                           {"--write-restart", !setup.write_restart.empty()},
                                           {"--read-restart", !setup.read_restart.empty()},
                                           {"--droplet", what.ball.radius > 0}})
    if (is_present)
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
  texts parameters;
  if (auto help = read(parameters, argc, argv)) {
    setup.help = *std::move(help);
    return setup;
  }
  if (parameters.read_restart)
    for (const auto& [option, is_present] : {std::pair("--input", parameters.input.has_value()),
                                             {"--size", parameters.size.has_value()},
                                             {"--droplet", parameters.droplet.has_value()},
                                             {"--potential", parameters.potential.has_value()}})
      if (is_present)
        throw imbrex::usage_error(
            std::string(option) +
            " with --read-restart: the problem is the file's; leave out one of the two");
  if (parameters.input)
    setup.parameters = parse_input(text_of_file(*parameters.input, "the input"), *parameters.input);
  problem& what = setup.parameters.what;
  if (parameters.size) what.lattice = size_of(*parameters.size);
  if (parameters.droplet) what.be_droplet(radius_of(*parameters.droplet, what.lattice));
  if (parameters.steps) setup.parameters.steps = count_of("--steps", *parameters.steps, 0, "number of steps");
  if (parameters.thermo)
    setup.parameters.thermo = count_of("--thermo", *parameters.thermo, 0, "number of steps");
  if (parameters.lists)
    what.lists = is_second("--lists", *parameters.lists, "full", "half") ? list_kind::half : list_kind::full;
  if (parameters.newton && what.lists == list_kind::full)
    refuse("--newton", *parameters.newton,
           "only half lists have a choice; add --lists half, or leave it out");
  if (parameters.newton) what.newton = !is_second("--newton", *parameters.newton, "on", "off");
  if (parameters.potential) {
    setup.parameters.potential_file = harness::file_of("--potential", *parameters.potential);
    if (what.field != force_field::eam && parameters.input)
      throw imbrex::usage_error("--potential is for an embedded-atom problem, and the input has another");
    if (!parameters.input) be_copper(what);
  }
  if (parameters.odf) setup.odf = harness::odf_of(*parameters.odf);
  what.reproducible = parameters.reproducible;
  setup.check = parameters.check;
  if (parameters.oracle) setup.oracle = harness::file_of("--oracle", *parameters.oracle);
  if (setup.check && setup.oracle.empty())
    throw imbrex::usage_error("--check needs the known values: --oracle FILE");
  if (parameters.json) setup.json = harness::file_of("--json", *parameters.json);
  if (parameters.yaml) setup.yaml = harness::file_of("--yaml", *parameters.yaml);
  if (parameters.dump) setup.dump = harness::file_of("--dump", *parameters.dump);
  if (parameters.write_restart)
    setup.write_restart = harness::file_of("--write-restart", *parameters.write_restart);
  if (parameters.read_restart)
    setup.read_restart = harness::file_of("--read-restart", *parameters.read_restart);
  setup.quiet = parameters.quiet;
  if (parameters.comm) {
    if (!setup.on_device())
      refuse("--comm", *parameters.comm,
             "only blocks on a device have a choice; add --device, or leave it out");
    setup.comm = is_second("--comm", *parameters.comm, "host", "message") ? communication::message
                                                                          : communication::host;
  }
  read_potential(setup);
  check_problem(setup);
  return setup;
}

}  // namespace minimd
