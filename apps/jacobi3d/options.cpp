// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/options.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/quantity.hpp>

#include "apps/harness/option_values.hpp"
#include "apps/jacobi3d/initial_values.hpp"

namespace jacobi3d {
namespace {

// The options as written.
struct texts {
  std::optional<std::string> grid, odf, overlap, comm, fusion, waits, iterations, mark, warmup, tolerance,
      init, spin, hot_blocks, hot_factor, output, json;
  bool graphs = false, check = false, quiet = false, odf_estimates = false;
};

std::optional<std::string> read(texts& parameters, int argc, char** argv) {
  imbrex::command own(
      "jacobi3d", "[OPTIONS]",
      "Solves Laplace's equation on a grid of cells by Jacobi's method, with an overdecomposed grid.");
  own.option("--grid", "X,Y,Z", parameters.grid, "cells of the grid (default 128,128,128)")
      .option("--odf", "N[,N...]", parameters.odf,
              "chares per PE, one configuration for each number (default 4, or 1 with --overlap none and "
              "manual); "
              "auto: the number with the shortest estimate, if a trial is faster than with 1")
      .flag("--odf-estimates", parameters.odf_estimates,
            "print the estimated seconds of an iteration by factor as JSON, and end")
      .option("--overlap", "KIND", parameters.overlap,
              "computation that overlaps the halo exchange: auto (default), of other chares; manual, of the "
              "interior of a PE's one chare; none")
      .option("--comm", "KIND", parameters.comm,
              "transport of faces between blocks on devices: host (default), through pinned host memory; "
              "message, in device buffers; channel, through channels of device memory; persistent, through "
              "persistent channels between the blocks' memory")
      .option("--fusion", "KIND", parameters.fusion,
              "fusion of the kernels of a block on a device: none (default); a, all packs into one; b, all "
              "packs into one and all unpacks into another; c, all into one kernel for each iteration")
      .option(
          "--waits", "KIND", parameters.waits,
          "waits of a block for its device in an iteration: needed (default), as few as the path of the "
          "faces needs; sends, until faces in messages or channels are packed; faces, also until each one "
          "has arrived or been read; updates, until the update is done, with --comm host")
      .flag("--graphs", parameters.graphs, "launch each iteration of a block on a device as a graph")
      .option("--iters", "N", parameters.iterations, "number of timed iterations (default 20)")
      .option(
          "--mark", "N", parameters.mark,
          "also print the mean time of the first N timed iterations, with --json; for devices on --machine "
          "simulated, whose first iterations tell the start from the rest")
      .option("--warmup", "N", parameters.warmup, "number of untimed iterations before them (default 2)")
      .option("--tolerance", "E", parameters.tolerance,
              "stop when no cell changes by E or more (default no convergence check)")
      .option("--init", "KIND", parameters.init, "initial values: hot-face (default), linear or random:SEED")
      .option("--spin", "TIME", parameters.spin,
              "least time of all sweeps of a PE in an iteration, reached by waiting, or by simulated time on "
              "--machine simulated; not for devices")
      .option("--hot-blocks", "N/M", parameters.hot_blocks,
              "N of each M blocks, the first ones, repeat their sweeps, such as 1/6: work for --balance")
      .option("--hot-factor", "N", parameters.hot_factor,
              "number of sweeps of such a block in an iteration (default 4)")
      .flag("--check", parameters.check, "compare every cell with a serial loop, bit for bit")
      .option("--output", "FILE", parameters.output,
              "write the cells at the end into this HDF5 file, as the data set cells")
      .option("--json", "FILE", parameters.json, "write a line for each configuration to this file")
      .flag("--quiet", parameters.quiet, "print errors only");
  return harness::read_options(own, argc, argv);
}

overlap_mode overlap_of(const std::string& text) {
  const auto named = std::ranges::find(overlap_names, text);
  if (named == overlap_names.end())
    refuse("--overlap", text, "the kind of overlap must be none, manual or auto");
  return overlap_mode(named - overlap_names.begin());
}

communication comm_of(const std::string& text) {
  const auto named = std::ranges::find(communication_names, text);
  if (named == communication_names.end())
    refuse("--comm", text, "faces travel by host, message, channel or persistent");
  return communication(named - communication_names.begin());
}

kernel_fusion fusion_of(const std::string& text) {
  const auto named = std::ranges::find(fusion_names, text);
  if (named == fusion_names.end()) refuse("--fusion", text, "the kind of fusion must be none, a, b or c");
  return kernel_fusion(named - fusion_names.begin());
}

host_waits waits_of(const std::string& text) {
  const auto named = std::ranges::find(host_waits_names, text);
  if (named == host_waits_names.end())
    refuse("--waits", text, "a block waits as needed, or for sends, faces or updates");
  return host_waits(named - host_waits_names.begin());
}

/// Refuses waits that the work of an iteration does not have.
void check_waits(const settings& setup) {
  const std::string text = name(setup.waits);
  if (setup.waits == host_waits::needed) return;
  if (setup.machine.device.empty())
    refuse("--waits", text,
           "only blocks on a device wait for it; add --device or --device-model, or leave it out");
  if (setup.waits == host_waits::updates) {
    if (setup.comm != communication::host || setup.graphs || by_requests(setup) ||
        setup.fusion == kernel_fusion::c)
      refuse(
          "--waits", text,
          "the update is submitted with its faces; choose --comm host without --fusion c, --graphs and work "
          "requests");
  } else if (setup.comm != communication::message && setup.comm != communication::channel) {
    refuse("--waits", text, "these faces are in messages or channels; choose --comm message or channel");
  }
}

imbrex::nanoseconds spin_of(const std::string& text) {
  const auto time = imbrex::parse_duration(text);
  if (!time || *time > imbrex::max_net_delay)
    refuse("--spin", text,
           "the time of an iteration must be a number with ns, us, ms or s, up to 60s, such as --spin 2ms");
  return *time;
}

hot_blocks hot_blocks_of(const std::string& blocks, const std::optional<std::string>& factor) {
  const auto [hot, of] = harness::fraction_of("--hot-blocks", blocks, "blocks");
  return {hot, of, factor ? count_of("--hot-factor", *factor, 1, "number of sweeps") : 4};
}

}  // namespace

bool by_requests(const settings& setup) {
  return setup.machine.completion == imbrex::completion_method::work_request;
}

settings parse_settings(int argc, char** argv, int processes) {
  settings setup;
  setup.machine = imbrex::parse_options(argc, argv);
  setup.processes = processes;
  if (setup.machine.pes == 0) setup.machine.pes = std::max(1, imbrex::usable_processors() / processes);

  texts parameters;
  if (auto help = read(parameters, argc, argv)) {
    setup.help = *std::move(help);
    return setup;
  }
  if (parameters.grid) setup.grid = grid_of(*parameters.grid);
  setup.prints_estimates = parameters.odf_estimates;
  setup.chooses_odf = parameters.odf == "auto";
  if (parameters.odf && !setup.chooses_odf) setup.odf = odf_of(*parameters.odf);
  if (parameters.overlap) setup.overlap = overlap_of(*parameters.overlap);
  if (setup.overlap != overlap_mode::automatic) {
    if (!parameters.odf || setup.chooses_odf) setup.odf = {1};
    if (std::ranges::count(setup.odf, 1) != std::ssize(setup.odf))
      refuse("--odf", *parameters.odf,
             std::string("--overlap ") + name(setup.overlap) +
                 " means one chare per PE; leave --odf out, or choose --overlap auto");
  }
  if (setup.chooses_odf && setup.overlap != overlap_mode::automatic)
    refuse("--odf", *parameters.odf,
           std::string("--overlap ") + name(setup.overlap) + " means one chare per PE; leave --odf out");
  if (setup.chooses_odf && !setup.machine.device.empty())
    refuse("--odf", *parameters.odf,
           "only blocks on processors have estimates; compare some factors, such as --odf 1,2,4,8");
  if (setup.chooses_odf && !setup.machine.checkpoint.restart.empty())
    refuse("--odf", *parameters.odf, "the blocks of a checkpoint have their number; give that of its run");
  if (!setup.machine.device.empty() && setup.overlap == overlap_mode::manual)
    refuse("--overlap", *parameters.overlap,
           "a device's blocks are updated as a whole; choose auto or none with --device");
  if (parameters.comm) setup.comm = comm_of(*parameters.comm);
  if (setup.machine.device.empty() && setup.comm != communication::host)
    refuse("--comm", *parameters.comm,
           "only blocks on a device send its memory; add --device or --device-model, or leave it out");
  if (setup.comm != communication::host && by_requests(setup))
    throw imbrex::usage_error(
        std::string("--comm ") + name(setup.comm) +
        " with --completion work-request: what requests fill cannot be sent before they are "
        "done; leave out one of the two");
  if (parameters.fusion) setup.fusion = fusion_of(*parameters.fusion);
  if (setup.machine.device.empty() && setup.fusion != kernel_fusion::none)
    refuse("--fusion", *parameters.fusion,
           "only a device has kernels to be fused; add --device or --device-model, or leave it out");
  setup.graphs = parameters.graphs;
  if (setup.graphs && setup.machine.device.empty())
    throw imbrex::usage_error(
        "--graphs: only a device has graphs; add --device or --device-model, or leave it out");
  if (setup.graphs && by_requests(setup))
    throw imbrex::usage_error(
        "--graphs with --completion work-request: requests cannot be captured; leave out one of the two");
  if (parameters.waits) setup.waits = waits_of(*parameters.waits);
  check_waits(setup);
  if (parameters.spin) setup.spin = spin_of(*parameters.spin);
  if (!setup.machine.device.empty() && setup.spin.count() > 0)
    refuse("--spin", *parameters.spin, "a device takes its own time; leave out --spin or --device");
  if (parameters.hot_factor && !parameters.hot_blocks)
    refuse("--hot-factor", *parameters.hot_factor, "no block is hot; add --hot-blocks, such as 1/6");
  if (parameters.hot_blocks) setup.hot = hot_blocks_of(*parameters.hot_blocks, parameters.hot_factor);
  if (!setup.machine.device_data && (parameters.check || parameters.tolerance))
    throw imbrex::usage_error(std::string(parameters.check ? "--check" : "--tolerance") +
                              " with --no-data: there are no cells to look at; leave out one of the two");
  if (parameters.iterations)
    setup.iterations = count_of("--iters", *parameters.iterations, 1, "number of iterations");
  if (parameters.mark) {
    setup.mark = count_of("--mark", *parameters.mark, 1, "number of iterations");
    if (setup.machine.device.empty() || setup.machine.machine != imbrex::machine_kind::simulated)
      refuse("--mark", *parameters.mark,
             "only devices in simulated time are marked; add --machine simulated and --device-model");
    if (setup.mark >= setup.iterations)
      refuse("--mark", *parameters.mark, "all timed iterations are before it; choose fewer than --iters");
  }
  if (parameters.warmup) setup.warmup = count_of("--warmup", *parameters.warmup, 0, "number of iterations");
  if (parameters.tolerance) setup.tolerance = tolerance_of(*parameters.tolerance);
  if (parameters.init) {
    try {
      initial_values::parse(*parameters.init);
    } catch (const std::invalid_argument& e) {
      throw imbrex::usage_error("--init: " + std::string(e.what()));
    }
    setup.init = *parameters.init;
  }
  if (parameters.output) setup.output = file_of("--output", *parameters.output);
  if (!setup.machine.device_data && parameters.output)
    refuse("--output", *parameters.output, "with --no-data there are no cells; leave out one of the two");
  if (parameters.json) setup.json = file_of("--json", *parameters.json);
  setup.check = parameters.check;
  setup.quiet = parameters.quiet;
  return setup;
}

}  // namespace jacobi3d
