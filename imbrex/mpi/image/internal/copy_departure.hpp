// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <imbrex/mpi/image/internal/held_resources.hpp>

namespace imbrex::mpi {

/// State of a copy with a heap that concerns its departure for another process.
struct copy_departure {
  held_resources resources;
  bool is_in_main = false;
  bool has_left = false;
  std::vector<std::vector<std::byte>> first_values;  ///< the copy's values of the snapshots
  std::vector<std::size_t> of_process;               ///< snapshots that have their first values on arrival
};

}  // namespace imbrex::mpi
