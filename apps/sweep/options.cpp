// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/options.hpp"

#include <algorithm>
#include <optional>

#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/quantity.hpp>

#include "apps/harness/option_values.hpp"

namespace sweep {
namespace {

using harness::count_of;
using harness::refuse;

// The options as written.
struct texts {
  std::optional<std::string> grid, angles_per_octant, planes, angles, odf, chares, iterations, warmup,
      tolerance, spin, json;
  bool check = false, quiet = false;
};

std::optional<std::string> read(texts& parameters, int argc, char** argv) {
  imbrex::command own(
      "sweep", "[OPTIONS]",
      "Solves the transport equation by discrete ordinates, as Sweep3D: wavefronts in eight octants pass "
      "through a grid of cells that is cut in x and y.");
  own.option("--grid", "X,Y,Z", parameters.grid, "cells of the grid (default 64,64,64)")
      .option("--angles-per-octant", "N", parameters.angles_per_octant,
              "number of directions in each of the eight octants (default 6)")
      .option("--planes", "N", parameters.planes,
              "maximum number of planes of cells along z per step (default 8)")
      .option("--angles", "N", parameters.angles, "maximum number of angles per step (default 3)")
      .option("--odf", "N[,N...]", parameters.odf,
              "chares per PE, one configuration for each number (default 1)")
      .option("--chares", "X,Y", parameters.chares, "number of chares in x and y, instead of --odf")
      .option("--iters", "N", parameters.iterations, "number of timed iterations (default 4)")
      .option("--warmup", "N", parameters.warmup, "number of untimed iterations before them (default 1)")
      .option("--tolerance", "E", parameters.tolerance,
              "stop when no cell changes by E or more (default no convergence check)")
      .option("--spin", "TIME", parameters.spin,
              "least time of a step, reached by waiting, or by simulated time on --machine simulated "
              "(default 0s)")
      .flag("--check", parameters.check, "compare every cell with a serial loop, bit for bit")
      .option("--json", "FILE", parameters.json, "write a line for each configuration to this file")
      .flag("--quiet", parameters.quiet, "print errors only");
  return harness::read_options(own, argc, argv);
}

std::array<std::int64_t, 2> chares_of(const std::string& text) {
  const auto numbers = harness::whole_numbers(text);
  if (!numbers || numbers->size() != 2)
    refuse("--chares", text,
           "the chares in x and y must be two whole numbers from 1 to " + std::to_string(harness::most) +
               ", such as --chares 4,2");
  return {(*numbers)[0], (*numbers)[1]};
}

imbrex::nanoseconds spin_of(const std::string& text) {
  const auto time = imbrex::parse_duration(text);
  if (!time || *time > imbrex::max_net_delay)
    refuse("--spin", text,
           "the time of a step must be a number with ns, us, ms or s, up to 60s, such as --spin 50us");
  return *time;
}

void refuse_devices(const imbrex::options& machine) {
  const bool simulated = machine.machine == imbrex::machine_kind::simulated;
  if (!machine.device.empty() && !simulated)
    throw imbrex::usage_error("--device " + machine.device +
                              ": this program computes on processors only; leave --device out");
  if (!machine.device_data)
    throw imbrex::usage_error("--no-data: this program's data are not on devices; leave --no-data out");
}

}  // namespace

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
  refuse_devices(setup.machine);
  if (parameters.grid) setup.posed.grid = harness::grid_of(*parameters.grid);
  const auto read_count = [&](const char* option, const std::optional<std::string>& text, std::int64_t least,
                              const char* noun, std::int64_t& into) {
    if (text) into = count_of(option, *text, least, std::string("number of ") + noun);
  };
  read_count("--angles-per-octant", parameters.angles_per_octant, 1, "angles", setup.posed.angles_per_octant);
  read_count("--planes", parameters.planes, 1, "planes", setup.posed.planes);
  read_count("--angles", parameters.angles, 1, "angles", setup.posed.angles);
  read_count("--iters", parameters.iterations, 1, "iterations", setup.iterations);
  read_count("--warmup", parameters.warmup, 0, "iterations", setup.warmup);
  if (parameters.odf) setup.odf = harness::odf_of(*parameters.odf);
  if (parameters.chares) {
    if (parameters.odf)
      refuse("--chares", *parameters.chares,
             "--odf says how many chares there are; leave out one of the two");
    setup.chares = chares_of(*parameters.chares);
  }
  if (parameters.tolerance) setup.tolerance = harness::tolerance_of(*parameters.tolerance);
  if (parameters.spin) setup.spin = spin_of(*parameters.spin);
  if (parameters.json) setup.json = harness::file_of("--json", *parameters.json);
  setup.check = parameters.check;
  setup.quiet = parameters.quiet;
  return setup;
}

}  // namespace sweep
