// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/options.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/quantity.hpp>

#include "apps/harness/option_values.hpp"

namespace moldyn {
namespace {

using harness::count_of;
using harness::refuse;

struct texts {
  std::optional<std::string> model, size, particles, filled, cells, cycles, odf, overlap, pair_time,
      particle_time, pause, json;
  bool strips = false, plain = false, check = false, quiet = false;
};

std::optional<std::string> read(texts& parameters, int argc, char** argv) {
  imbrex::command own("moldyn", "[OPTIONS]",
                      "Molecular dynamics with a distributed cell set: the model of the Java Grande "
                      "benchmarks in three dimensions, "
                      "or particles on a torus in two.");
  own.option("--model", "grande|torus", parameters.model, "model: grande (default) or torus")
      .option("--size", "A|B|N", parameters.size,
              "number of atoms of the grande model: A, 2,048 (default); B, 8,788; a number N, 4 N^3")
      .option("--particles", "N", parameters.particles,
              "approximate number of particles on the torus, 19.5 in each cell (default 320000)")
      .option("--filled", "N/M", parameters.filled,
              "fill only this part of the torus's rows with particles, such as 1/2: work for --balance")
      .option("--cells", "N", parameters.cells,
              "cells of the grande model along each side (default as the cut-off and the chares need)")
      .option("--cycles", "N", parameters.cycles, "number of moves of all particles (default 50)")
      .option("--odf", "N[,N...]", parameters.odf, "chares per PE, a run for each number (default 1)")
      .option("--overlap", "none|auto", parameters.overlap,
              "overlap: auto (default), a pair of cells is computed when both have arrived; none, all blocks "
              "wait for each other before each part of a cycle")
      .flag("--strips", parameters.strips, "cut the torus only into rows of cells, one for each chare")
      .option("--pair-time", "TIME", parameters.pair_time,
              "simulated time of two particles of neighbouring cells on the torus, such as 60ns")
      .option("--particle-time", "TIME", parameters.particle_time,
              "simulated time of a particle in each migration and each cache of halos on the torus")
      .option("--pause", "TIME,PERCENT", parameters.pause,
              "simulated pause of a block before its next cycle, and the percentage of cycles with a pause, "
              "such as 300ms,10")
      .flag("--plain", parameters.plain,
            "also compute the torus by a plain loop on one processor, to compare times")
      .flag("--check", parameters.check,
            "compare energies with the plain loop's, or with known ones for sizes A and B")
      .option("--json", "FILE", parameters.json, "write a line for each run to this file")
      .flag("--quiet", parameters.quiet, "print errors only");
  return harness::read_options(own, argc, argv);
}

int size_of(const std::string& text) {
  if (text == "A") return 8;
  if (text == "B") return 13;
  const auto number = harness::whole_numbers(text);
  if (!number || number->size() != 1 || number->front() < 2 || number->front() > 1000)
    refuse("--size", text, "the size must be A, B or a whole number from 2 to 1000, such as --size B");
  return static_cast<int>(number->front());
}

imbrex::nanoseconds time_of(const char* option, const std::string& text) {
  const auto time = imbrex::parse_duration(text);
  if (!time || *time > std::chrono::seconds(60))
    refuse(option, text,
           std::string("the time must be a number with ns, us, ms or s, up to 60s, such as ") + option +
               " 60ns");
  return *time;
}

void read_pause(const std::string& text, work_times& times) {
  const auto comma = text.find(',');
  const auto percent = imbrex::parse_number<int>(
      comma == std::string::npos ? std::string_view() : std::string_view(text).substr(comma + 1));
  if (!percent || *percent < 0 || *percent > 100)
    refuse("--pause", text, "it must be a time and a whole number from 0 to 100, such as --pause 300ms,10");
  times.pause = time_of("--pause", text.substr(0, comma));
  times.pause_chance = *percent / 100.0;
}

void read_times(const texts& parameters, settings& setup) {
  for (const auto& [option, text] : {std::pair("--pair-time", &parameters.pair_time),
                                     {"--particle-time", &parameters.particle_time},
                                     {"--pause", &parameters.pause}})
    if (*text && setup.machine.machine != imbrex::machine_kind::simulated)
      throw imbrex::usage_error(std::string(option) + " is for --machine simulated alone; leave it out");
  if (parameters.pair_time) setup.times.pair = time_of("--pair-time", *parameters.pair_time);
  if (parameters.particle_time) setup.times.particle = time_of("--particle-time", *parameters.particle_time);
  if (parameters.pause) read_pause(*parameters.pause, setup.times);
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
  if (parameters.model) {
    if (*parameters.model != "grande" && *parameters.model != "torus")
      refuse("--model", *parameters.model, "the model must be grande or torus");
    setup.what = *parameters.model == "torus" ? model::torus : model::grande;
  }
  const auto only_for = [&](const char* option, bool is_present, model of, const char* name) {
    if (is_present && setup.what != of)
      throw imbrex::usage_error(std::string(option) + " is for --model " + name + " alone; leave it out");
  };
  only_for("--size", parameters.size.has_value(), model::grande, "grande");
  only_for("--cells", parameters.cells.has_value(), model::grande, "grande");
  only_for("--particles", parameters.particles.has_value(), model::torus, "torus");
  only_for("--filled", parameters.filled.has_value(), model::torus, "torus");
  only_for("--strips", parameters.strips, model::torus, "torus");
  only_for("--pair-time", parameters.pair_time.has_value(), model::torus, "torus");
  only_for("--particle-time", parameters.particle_time.has_value(), model::torus, "torus");
  only_for("--pause", parameters.pause.has_value(), model::torus, "torus");
  only_for("--plain", parameters.plain, model::torus, "torus");
  if (parameters.size) setup.mm = size_of(*parameters.size);
  if (parameters.particles)
    setup.particles = count_of("--particles", *parameters.particles, 1, "number of particles");
  if (parameters.filled) setup.filled = harness::fraction_of("--filled", *parameters.filled, "rows");
  if (parameters.cells) setup.cells = count_of("--cells", *parameters.cells, 1, "number of cells");
  if (parameters.cycles) setup.cycles = count_of("--cycles", *parameters.cycles, 1, "number of cycles");
  if (parameters.odf) setup.odf = harness::odf_of(*parameters.odf);
  if (parameters.overlap) {
    if (*parameters.overlap != "none" && *parameters.overlap != "auto")
      refuse("--overlap", *parameters.overlap, "the overlap must be none or auto");
    setup.how = *parameters.overlap == "none" ? overlap::none : overlap::automatic;
  }
  if (parameters.json) setup.json = harness::file_of("--json", *parameters.json);
  read_times(parameters, setup);
  setup.strips = parameters.strips;
  setup.plain = parameters.plain;
  setup.check = parameters.check;
  setup.quiet = parameters.quiet;
  return setup;
}

}  // namespace moldyn
