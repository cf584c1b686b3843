// SPDX-License-Identifier: Apache-2.0
#include "apps/moldyn/options.hpp"

#include <algorithm>
#include <optional>

#include <imbrex/base/host/topology.hpp>

#include "apps/harness/option_values.hpp"

namespace moldyn {
namespace {

using harness::count_of;
using harness::refuse;

struct texts {
  std::optional<std::string> model, size, particles, cells, cycles, odf, overlap, json;
  bool plain = false, check = false, quiet = false;
};

std::optional<std::string> read(texts& given, int argc, char** argv) {
  imbrex::command own("moldyn", "[OPTIONS]",
                      "Molecular dynamics with a distributed cell set: the model of the Java Grande "
                      "benchmarks in three dimensions, "
                      "or particles on a torus in two.");
  own.option("--model", "grande|torus", given.model, "which of the two; grande unless given")
      .option("--size", "A|B|N", given.size,
              "of the grande model: A is 2,048 atoms, B 8,788, a number N is 4 N^3; A unless given")
      .option("--particles", "N", given.particles,
              "of the torus, about: 19.5 in each cell; 320000 unless given")
      .option("--cells", "N", given.cells,
              "of the grande model, along each side; as many as the cut-off and the chares need unless given")
      .option("--cycles", "N", given.cycles, "moves of all particles; 50 unless given")
      .option("--odf", "N[,N...]", given.odf, "chares per PE, a run for each number; 1 unless given")
      .option("--overlap", "none|auto", given.overlap,
              "auto: each pair of cells is worked on when it has come; none: all blocks wait for each other "
              "before "
              "each part of a cycle; auto unless given")
      .flag("--plain", given.plain,
            "of the torus: the same by a plain loop on one processor, to compare times")
      .flag("--check", given.check,
            "compare energies with the plain loop, or of sizes A and B with known ones")
      .option("--json", "FILE", given.json, "write a line for each run to this file")
      .flag("--quiet", given.quiet, "print errors only");
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

}  // namespace

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
  if (!setup.machine.device.empty())
    throw imbrex::usage_error("--device " + setup.machine.device +
                              ": this program computes on processors only; leave --device out");
  if (given.model) {
    if (*given.model != "grande" && *given.model != "torus")
      refuse("--model", *given.model, "the model must be grande or torus");
    setup.what = *given.model == "torus" ? model::torus : model::grande;
  }
  const auto only_for = [&](const char* option, bool is_given, model of, const char* name) {
    if (is_given && setup.what != of)
      throw imbrex::usage_error(std::string(option) + " is for --model " + name + " alone; leave it out");
  };
  only_for("--size", given.size.has_value(), model::grande, "grande");
  only_for("--cells", given.cells.has_value(), model::grande, "grande");
  only_for("--particles", given.particles.has_value(), model::torus, "torus");
  only_for("--plain", given.plain, model::torus, "torus");
  if (given.size) setup.mm = size_of(*given.size);
  if (given.particles) setup.particles = count_of("--particles", *given.particles, 1, "number of particles");
  if (given.cells) setup.cells = count_of("--cells", *given.cells, 1, "number of cells");
  if (given.cycles) setup.cycles = count_of("--cycles", *given.cycles, 1, "number of cycles");
  if (given.odf) setup.odf = harness::odf_of(*given.odf);
  if (given.overlap) {
    if (*given.overlap != "none" && *given.overlap != "auto")
      refuse("--overlap", *given.overlap, "the overlap must be none or auto");
    setup.how = *given.overlap == "none" ? overlap::none : overlap::automatic;
  }
  if (given.json) setup.json = harness::file_of("--json", *given.json);
  setup.plain = given.plain;
  setup.check = given.check;
  setup.quiet = given.quiet;
  return setup;
}

}  // namespace moldyn
