// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/quantity.hpp>

#include "apps/harness/option_values.hpp"
#include "apps/jacobi3d/initial_values.hpp"

namespace jacobi3d {
namespace {

// The options as they were given: CLI11's own numbers accept too much ("010", "1'000") and say too little.
struct texts {
  std::string grid, odf, overlap, iterations, warmup, tolerance, init, spin, json;
  bool check = false, quiet = false, help = false;
};

void declare(CLI::App& app, texts& given) {
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_help_flag();
  app.allow_extras();
  app.add_option("--grid", given.grid, "cells of the grid; 128,128,128 unless given")->type_name("X,Y,Z");
  app.add_option("--odf", given.odf,
                 "chares per PE, one configuration for each number; 4 unless given, or 1 with --overlap none "
                 "and manual")
      ->type_name("N[,N...]");
  app.add_option(
         "--overlap", given.overlap,
         "what hides the halos' travel: auto (unless given), other chares; manual, the interior of a PE's "
         "one chare; none, nothing")
      ->type_name("KIND");
  app.add_option("--iters", given.iterations, "iterations that are timed; 20 unless given")->type_name("N");
  app.add_option("--warmup", given.warmup, "iterations before these; 2 unless given")->type_name("N");
  app.add_option("--tolerance", given.tolerance,
                 "stop when no cell changes by E or more; without it there is no convergence check")
      ->type_name("E");
  app.add_option("--init", given.init, "initial values: hot-face (unless given), linear or random:SEED")
      ->type_name("KIND");
  app.add_option(
         "--spin", given.spin,
         "what an iteration's sweeps of one PE take at least, together: the rest is waited for by the "
         "clock, or spent in the model of --machine simulated; not for devices")
      ->type_name("TIME");
  app.add_flag("--check", given.check, "compare every cell with a serial loop, bit for bit");
  app.add_option("--json", given.json, "write a line for each configuration to this file")->type_name("FILE");
  app.add_flag("--quiet", given.quiet, "print errors only");
  app.add_flag("--help,-h", given.help, "print this text");
}

overlap_mode overlap_of(const std::string& text) {
  const auto named = std::ranges::find(overlap_names, text);
  if (named == overlap_names.end())
    refuse("--overlap", text, "the kind of overlap must be none, manual or auto");
  return overlap_mode(named - overlap_names.begin());
}

imbrex::nanoseconds spin_of(const std::string& text) {
  const auto time = imbrex::parse_duration(text);
  if (!time || *time > imbrex::max_net_delay)
    refuse("--spin", text,
           "the time of an iteration must be a number with ns, us, ms or s, up to 60s, such as --spin 2ms");
  return *time;
}

}  // namespace

bool by_requests(const settings& asked) {
  return asked.machine.completion == imbrex::completion_method::work_request;
}

settings parse_settings(int argc, char** argv) {
  settings asked;
  asked.machine = imbrex::parse_options(argc, argv);
  asked.processes = imbrex::num_processes();
  if (asked.machine.pes == 0) asked.machine.pes = std::max(1, imbrex::usable_processors() / asked.processes);

  CLI::App app(
      "Solves Laplace's equation on a grid of cells by Jacobi's method, with an overdecomposed grid.",
      "jacobi3d");
  texts given;
  declare(app, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    throw imbrex::usage_error(std::string(e.what()) + "; see --help");
  }
  refuse_rest(app);
  if (given.help) asked.help = app.help() + "\n" + imbrex::options_help();

  if (app.count("--grid") > 0) asked.grid = grid_of(given.grid);
  if (app.count("--odf") > 0) asked.odf = odf_of(given.odf);
  if (app.count("--overlap") > 0) asked.overlap = overlap_of(given.overlap);
  if (asked.overlap != overlap_mode::automatic) {
    if (app.count("--odf") == 0) asked.odf = {1};
    if (std::ranges::count(asked.odf, 1) != std::ssize(asked.odf))
      refuse("--odf", given.odf,
             std::string("--overlap ") + name(asked.overlap) +
                 " means one chare per PE; leave --odf out, or choose --overlap auto");
  }
  if (!asked.machine.device.empty() && asked.overlap == overlap_mode::manual)
    refuse("--overlap", given.overlap,
           "a device's blocks are updated as a whole; choose auto or none with --device");
  if (app.count("--spin") > 0) asked.spin = spin_of(given.spin);
  if (!asked.machine.device.empty() && asked.spin.count() > 0)
    refuse("--spin", given.spin, "a device takes its own time; leave out --spin or --device");
  if (!asked.machine.device_data && (given.check || app.count("--tolerance") > 0))
    throw imbrex::usage_error(std::string(given.check ? "--check" : "--tolerance") +
                              " with --no-data: there are no cells to look at; leave out one of the two");
  if (app.count("--iters") > 0)
    asked.iterations = count_of("--iters", given.iterations, 1, "number of iterations");
  if (app.count("--warmup") > 0) asked.warmup = count_of("--warmup", given.warmup, 0, "number of iterations");
  if (app.count("--tolerance") > 0) asked.tolerance = tolerance_of(given.tolerance);
  if (app.count("--init") > 0) {
    try {
      initial_values::parse(given.init);
    } catch (const std::invalid_argument& e) {
      throw imbrex::usage_error("--init: " + std::string(e.what()));
    }
    asked.init = given.init;
  }
  if (app.count("--json") > 0) asked.json = file_of("--json", given.json);
  asked.check = given.check;
  asked.quiet = given.quiet;
  return asked;
}

}  // namespace jacobi3d
