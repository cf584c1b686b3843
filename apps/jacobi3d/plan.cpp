// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/plan.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "apps/harness/memory.hpp"
#include "apps/jacobi3d/block.hpp"
#include "apps/jacobi3d/reference.hpp"

namespace jacobi3d {
namespace {

// Includes a chare's header, its table slots, the frame of run(), and six faces in flight.
constexpr double bytes_of_runtime = 2048;

[[noreturn]] void refuse_memory(const settings& setup, const std::string& blocks, double needed,
                                std::uint64_t available) {
  const auto& [x, y, z] = setup.grid;
  throw imbrex::usage_error(
      fmt::format("the grid of {} x {} x {} cells{} needs at least {} of memory (two copies each for the "
                  "blocks{} plain loop{}), "
                  "but {} are available; choose a smaller --grid{}",
                  x, y, z, blocks, in_binary_units(needed), setup.check ? ", the" : " and the",
                  setup.check ? " and the loop of --check" : "", in_binary_units(double(available)),
                  setup.check ? " or leave out --check" : ""));
}

}  // namespace

double bytes_of_blocks(const decomposition& cut) {
  double bytes = 0;
  // Blocks have at most two lengths in each dimension: the longer ones come first.
  for (int longer = 0; longer < 8; ++longer) {
    double count = 1;
    extents at;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t long_ones = cut.grid[d] % cut.blocks[d];
      const bool is_long = (longer >> d) % 2 == 1;
      count *= double(is_long ? long_ones : cut.blocks[d] - long_ones);
      at[d] = is_long ? 0 : long_ones;
    }
    if (count > 0)
      bytes += count * (double(block_field::bytes(cut.cells(at)) + sizeof(block)) + bytes_of_runtime);
  }
  return bytes;
}

double bytes_of_program(const settings& setup, const decomposition& cut) {
  double bytes = bytes_of_blocks(cut) + double(block_field::bytes(setup.grid));
  if (setup.check) bytes += double(serial_grid::bytes(setup.grid));
  return bytes;
}

std::vector<configuration> plan(const settings& setup, std::uint64_t available_bytes) {
  std::vector<configuration> configurations;
  const auto& [x, y, z] = setup.grid;
  // Checked before any integer arithmetic, which a far too large grid would overflow.
  const double least = (setup.check ? 6 : 4) * sizeof(double) * double(x) * double(y) * double(z);
  if (least > double(available_bytes)) refuse_memory(setup, "", least, available_bytes);
  for (const std::int64_t odf : setup.odf) {
    const std::int64_t chares = odf * setup.machine.pes * setup.processes;
    try {
      configurations.push_back({odf, minimal_surface(setup.grid, chares)});
    } catch (const std::invalid_argument& e) {
      throw imbrex::usage_error(
          fmt::format("--odf {} with --pes {}: {}; choose another --odf, --pes or --grid", odf,
                      setup.machine.pes, e.what()));
    }
    const double needed = bytes_of_program(setup, configurations.back().cut);
    if (needed > double(available_bytes))
      refuse_memory(setup, fmt::format(" in {} blocks", chares), needed, available_bytes);
  }
  return configurations;
}

}  // namespace jacobi3d
