// SPDX-License-Identifier: Apache-2.0
#include "apps/pic/options.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/quantity.hpp>

#include "apps/harness/option_values.hpp"

namespace pic {
namespace {

using harness::count_of;
using harness::refuse;

struct texts {
  std::optional<std::string> grid, particles, k, m, how, attenuation, slope, patch, steps, warmup, odf,
      particle_time, json;
  bool quiet = false;
};

std::optional<std::string> read(texts& parameters, int argc, char** argv) {
  imbrex::command own(
      "pic", "[OPTIONS]",
      "Particles in the cells of a periodic grid, as in the Parallel Research Kernels: charges "
      "at the corners of cells push them. The crowd moves through the tiles of the grid, so "
      "that PEs wait for each other unless tiles migrate (--balance auto).");
  own.option("--grid", "N", parameters.grid,
             "cells along each side of the grid, an even number (default 512)")
      .option("--particles", "N", parameters.particles, "approximate number of particles (default 400000)")
      .option("--k", "N", parameters.k, "a particle moves by 2 N + 1 columns in a step (default 1)")
      .option("--m", "N", parameters.m, "rows by which a particle moves in a step (default 1)")
      .option("--distribution", "WORD", parameters.how,
              "initial distribution over the columns: geometric (default), sinusoidal, linear or patch")
      .option("--attenuation", "R", parameters.attenuation,
              "geometric: particles of a column divided by those of the last one (default 0.99)")
      .option("--slope", "A,B", parameters.slope,
              "linear: a column at x, from 0 to 1, has B - A x shares of the particles (default 1,3)")
      .option("--patch", "L,R,B,T", parameters.patch,
              "patch: first and last column and first and last row with particles (default a corner of an "
              "eighth of each side)")
      .option("--steps", "N", parameters.steps, "number of timed steps (default 100)")
      .option("--warmup", "N", parameters.warmup, "number of untimed steps before them (default 1)")
      .option("--odf", "N[,N...]", parameters.odf, "tiles per PE, a run for each number (default 8)")
      .option("--particle-time", "TIME", parameters.particle_time,
              "simulated time of a particle in a step, such as 50ns")
      .option("--json", "FILE", parameters.json, "write a line for each run to this file")
      .flag("--quiet", parameters.quiet, "print errors only");
  return harness::read_options(own, argc, argv);
}

std::int64_t grid_of(const std::string& text) {
  constexpr std::int64_t most_cells = 1 << 20;
  const auto number = imbrex::parse_number<std::int64_t>(text);
  if (!number || *number < 2 || *number > most_cells || *number % 2 != 0)
    refuse("--grid", text,
           "the cells along a side must be an even number from 2 to " + std::to_string(most_cells));
  return *number;
}

/// A whole number from `least` to as many cells as a side of the grid has.
std::int64_t cells_of(const char* option, const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = imbrex::parse_number<std::int64_t>(text);
  if (!number || *number < least || *number > most)
    refuse(option, text,
           "it must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
               ": a particle moves by less than the side of the grid in a step");
  return *number;
}

double attenuation_of(const std::string& text) {
  const auto number = imbrex::parse_number<double>(text);
  if (!number || !(*number > 0 && *number < 1))
    refuse("--attenuation", text, "the attenuation must be a number between 0 and 1, such as 0.99");
  return *number;
}

void read_slope(const std::string& text, problem& posed) {
  const auto comma = std::min(text.find(','), text.size());
  const auto slope = imbrex::parse_number<double>(std::string_view(text).substr(0, comma));
  const auto offset = imbrex::parse_number<double>(
      comma == text.size() ? std::string_view() : std::string_view(text).substr(comma + 1));
  if (!slope || !offset || !std::isfinite(*slope) || !std::isfinite(*offset) || !(*offset > 0) ||
      *offset < *slope)
    refuse("--slope", text, "it must be two numbers A,B with B above 0 and no less than A, such as 1,3");
  posed.slope = *slope;
  posed.offset = *offset;
}

rectangle patch_of(const std::string& text, std::int64_t grid) {
  std::vector<std::int64_t> numbers;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const auto number = imbrex::parse_number<std::int64_t>(std::string_view(text).substr(from, end - from));
    numbers.push_back(number.value_or(-1));
    from = end + 1;
  }
  if (numbers.size() != 4 || numbers[0] < 0 || numbers[1] < numbers[0] || numbers[1] >= grid ||
      numbers[2] < 0 || numbers[3] < numbers[2] || numbers[3] >= grid)
    refuse("--patch", text,
           "it must be the first and last column and the first and last row, from 0 to " +
               std::to_string(grid - 1) + ", such as 0,9,0,9");
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

void read_distribution(const texts& parameters, problem& posed) {
  if (parameters.how)
    posed.how = static_cast<distribution>(
        imbrex::parse_word({"--distribution", *parameters.how}, distribution_names));
  for (const auto& [option, text, of] :
       {std::tuple("--attenuation", &parameters.attenuation, distribution::geometric),
        {"--slope", &parameters.slope, distribution::linear},
        {"--patch", &parameters.patch, distribution::patch}})
    if (*text && posed.how != of)
      throw imbrex::usage_error(std::string(option) + " is for --distribution " +
                                std::string(distribution_names[static_cast<std::size_t>(of)]) +
                                " alone; leave it out");
  if (parameters.attenuation) posed.attenuation = attenuation_of(*parameters.attenuation);
  if (parameters.slope) read_slope(*parameters.slope, posed);
  const std::int64_t eighth = std::max<std::int64_t>(posed.grid / 8, 1);
  posed.patch =
      parameters.patch ? patch_of(*parameters.patch, posed.grid) : rectangle{0, eighth - 1, 0, eighth - 1};
}

imbrex::nanoseconds time_of(const std::string& text, imbrex::machine_kind machine) {
  if (machine != imbrex::machine_kind::simulated)
    throw imbrex::usage_error("--particle-time is for --machine simulated alone; leave it out");
  const auto time = imbrex::parse_duration(text);
  if (!time || *time > std::chrono::seconds(1))
    refuse("--particle-time", text,
           "the time must be a number with ns, us, ms or s, up to 1s, such as --particle-time 50ns");
  return *time;
}

void read_problem(const texts& parameters, problem& posed) {
  if (parameters.grid) posed.grid = grid_of(*parameters.grid);
  if (parameters.particles)
    posed.particles = count_of("--particles", *parameters.particles, 1, "number of particles");
  if (parameters.k)
    posed.k = cells_of("--k", *parameters.k, 0, posed.grid / 2 - 1);
  else
    posed.k = std::min(posed.k, posed.grid / 2 - 1);
  if (parameters.m) posed.m = cells_of("--m", *parameters.m, 1 - posed.grid, posed.grid - 1);
  read_distribution(parameters, posed);
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
  // In simulated time a model of messages implies a device.
  if (!setup.machine.device.empty() && setup.machine.machine != imbrex::machine_kind::simulated)
    throw imbrex::usage_error("--device " + setup.machine.device +
                              ": this program computes on processors only; leave --device out");
  read_problem(parameters, setup.posed);
  if (parameters.steps) setup.steps = count_of("--steps", *parameters.steps, 1, "number of steps");
  if (parameters.warmup) setup.warmup = count_of("--warmup", *parameters.warmup, 0, "number of steps");
  if (parameters.odf) setup.odf = harness::odf_of(*parameters.odf);
  if (parameters.particle_time)
    setup.particle_time = time_of(*parameters.particle_time, setup.machine.machine);
  if (parameters.json) setup.json = harness::file_of("--json", *parameters.json);
  setup.quiet = parameters.quiet;
  return setup;
}

}  // namespace pic
