// SPDX-License-Identifier: Apache-2.0
#include "apps/minimd/memory.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include <imbrex/error.hpp>

#include "apps/harness/memory.hpp"

namespace minimd {
namespace {

double neighbours_of_atom(const problem& what) {
  const double in_sphere = what.cell.density() * 4 / 3 * std::numbers::pi * std::pow(what.range(), 3);
  return what.lists == list_kind::half ? in_sphere / 2 : in_sphere;
}

}  // namespace

double bytes_of_process(const settings& setup) {
  const problem& what = setup.parameters.what;
  // Bytes of cells, of the store's arrays, and of the order by cells.
  constexpr double of_atom = 7 * 8 + 3 * 32 + 28, of_copy = 7 * 8 + 2 * 32 + 28, of_neighbour = 4;
  const double atoms = static_cast<double>(what.atoms()) / setup.processes;
  const double side = std::cbrt(atoms / what.cell.density());
  const double copies = what.cell.density() * std::pow(side + 2 * what.range(), 3) - atoms;
  return of_atom * atoms + of_copy * copies + of_neighbour * atoms * neighbours_of_atom(what);
}

void check_memory(const settings& setup, std::uint64_t available_bytes) {
  const double needed = bytes_of_process(setup);
  const auto available = static_cast<double>(available_bytes);
  if (!setup.machine.device_data || needed <= available) return;
  const problem& what = setup.parameters.what;
  throw imbrex::usage_error(fmt::format(
      "{} x {} x {} unit cells with {} atoms, which have about {:.3g} neighbours within the cut-off {:g} and "
      "the skin {:g}, need at least {} of memory{}, but {} are available; choose fewer unit cells, or a "
      "shorter cut-off or skin",
      what.lattice[0], what.lattice[1], what.lattice[2], what.atoms(), neighbours_of_atom(what), what.cutoff,
      what.skin, harness::in_binary_units(needed), setup.processes > 1 ? " in each process" : "",
      harness::in_binary_units(available)));
}

}  // namespace minimd
