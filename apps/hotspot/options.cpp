// SPDX-License-Identifier: Apache-2.0
#include "apps/hotspot/options.hpp"

#include <cstddef>
#include <optional>

#include <imbrex/base/host/topology.hpp>
#include <imbrex/base/options/quantity.hpp>

#include "apps/harness/option_values.hpp"

namespace hotspot {
namespace {

struct texts {
  std::optional<std::string> cells, steps, how, time, halo, json;
};

std::optional<std::string> read(texts& parameters, int argc, char** argv) {
  imbrex::command own("hotspot", "[OPTIONS]",
                      "Computes in cells of known loads, which exchange halos in each step. A hot spot moves "
                      "through the cells, so that PEs wait for each other unless elements move "
                      "(--balance auto).");
  own.option("--cells", "X,Y,Z", parameters.cells, "number of cells in each dimension (default 16,16,16)")
      .option("--steps", "N", parameters.steps, "number of steps (default 60)")
      .option("--motion", "WORD", parameters.how,
              "motion of the hot spot: orbit (default), alternate, drift, jump, or none")
      .option("--time", "TIME", parameters.time,
              "time of a step of a cell far from the hot spot; nine times as much in it (default 100us)")
      .option("--halo", "BYTES", parameters.halo, "bytes of a message to a neighbour (default 2048)")
      .option("--json", "FILE", parameters.json, "write the result to this file");
  return harness::read_options(own, argc, argv);
}

std::array<int, 3> cells_of(const std::string& text) {
  const harness::extents grid = harness::grid_of(text);
  std::array<int, 3> cells{};
  for (std::size_t d = 0; d < 3; ++d) cells[d] = static_cast<int>(grid[d]);
  return cells;
}

imbrex::nanoseconds time_of(const std::string& text) {
  const auto time = imbrex::parse_duration(text);
  if (!time || *time > imbrex::max_net_delay)
    harness::refuse(
        "--time", text,
        "the time of a step must be a number with ns, us, ms or s, up to 60s, such as --time 50us");
  return *time;
}

}  // namespace

settings parse_settings(int argc, char** argv) {
  settings setup;
  setup.machine = imbrex::parse_options(argc, argv);
  texts parameters;
  if (auto help = read(parameters, argc, argv)) {
    setup.help = *std::move(help);
    return setup;
  }
  if (parameters.cells) setup.cells = cells_of(*parameters.cells);
  if (parameters.steps)
    setup.steps = static_cast<int>(harness::count_of("--steps", *parameters.steps, 1, "number of steps"));
  if (parameters.how)
    setup.how = static_cast<motion>(imbrex::parse_word({"--motion", *parameters.how}, motions));
  if (parameters.time) setup.time = time_of(*parameters.time);
  if (parameters.halo)
    setup.halo = static_cast<int>(harness::count_of("--halo", *parameters.halo, 0, "number of bytes"));
  if (parameters.json) setup.json = harness::file_of("--json", *parameters.json);
  return setup;
}

}  // namespace hotspot
