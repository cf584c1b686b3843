// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "apps/harness/memory.hpp"
#include "apps/sweep/reference.hpp"

namespace sweep {
namespace {

using harness::decomposition;

configuration cut_by_factor(const settings& setup, std::int64_t odf) {
  const std::int64_t columns = odf * setup.machine.pes * setup.processes;
  try {
    return {double(odf), squarest(setup.posed.grid, columns)};
  } catch (const std::invalid_argument& e) {
    throw imbrex::usage_error(fmt::format("--odf {} with --pes {}: {}; choose another --odf, --pes or --grid",
                                          odf, setup.machine.pes, e.what()));
  }
}

configuration requested_configuration(const settings& setup) {
  const auto& [x, y] = *setup.chares;
  const auto& [nx, ny, nz] = setup.posed.grid;
  if (x > nx || y > ny)
    throw imbrex::usage_error(fmt::format(
        "--chares '{},{}': the grid has {} x {} cells in x and y; choose no more chares than cells", x, y, nx,
        ny));
  const double pes = double(setup.machine.pes) * setup.processes;
  return {double(x) * double(y) / pes, {setup.posed.grid, {x, y, 1}}};
}

void check_memory(std::uint64_t available_bytes, const settings& setup, const decomposition& cut) {
  const double needed = bytes_of_program(setup, cut);
  if (needed <= double(available_bytes)) return;
  const auto& [x, y, z] = setup.posed.grid;
  throw imbrex::usage_error(fmt::format(
      "the grid of {} x {} x {} cells with {} angles per octant needs at least {} of memory, but {} are "
      "available; choose a smaller --grid{}",
      x, y, z, setup.posed.angles_per_octant, harness::in_binary_units(needed),
      harness::in_binary_units(double(available_bytes)), setup.check ? " or leave out --check" : ""));
}

}  // namespace

decomposition squarest(const extents& grid, std::int64_t columns) {
  const auto& [nx, ny, nz] = grid;
  std::optional<decomposition> best;
  const auto rank = [](const decomposition& cut) {
    return std::tuple(harness::cut_surface(cut), -cut.blocks[0]);
  };
  for (std::int64_t x = 1; x <= std::min(nx, columns); ++x) {
    const decomposition cut{grid, {x, columns / x, 1}};
    if (columns % x != 0 || columns / x > ny) continue;
    if (!best || rank(cut) < rank(*best)) best = cut;
  }
  if (best) return *best;
  throw std::invalid_argument(
      fmt::format("the grid's {} x {} cells in x and y cannot be cut into {} columns: no product of two "
                  "numbers within these is {}",
                  nx, ny, columns, columns));
}

double bytes_of_program(const settings& setup, const decomposition& cut) {
  const auto& [nx, ny, nz] = cut.grid;
  const double x = double(nx), y = double(ny), z = double(nz);
  const double chares = double(cut.blocks[0]) * double(cut.blocks[1]);
  const auto angles = double(std::min(setup.posed.angles, setup.posed.angles_per_octant));
  const auto planes = double(std::min(setup.posed.planes, nz));
  const double cells = 3 * x * y * z;
  const double faces = angles * (x * y + planes * (x * double(cut.blocks[1]) + y * double(cut.blocks[0])));
  const double directions = 5 * double(setup.posed.angles_per_octant) * chares;
  return 8 * (cells + faces + directions) + (setup.check ? serial_solver::bytes(cut.grid) : 0);
}

std::vector<configuration> plan(const settings& setup, std::uint64_t available_bytes) {
  // Checked before any integer arithmetic, which a far too large grid would overflow.
  check_memory(available_bytes, setup, {setup.posed.grid, {1, 1, 1}});
  std::vector<configuration> all;
  if (setup.chares) {
    all.push_back(requested_configuration(setup));
  } else {
    for (const std::int64_t odf : setup.odf) all.push_back(cut_by_factor(setup, odf));
  }
  for (const configuration& candidate : all) check_memory(available_bytes, setup, candidate.cut);
  return all;
}

}  // namespace sweep
