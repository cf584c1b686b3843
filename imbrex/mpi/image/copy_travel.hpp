// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace imbrex::mpi {

/// Pages of a copy that differ from those of a new one.
struct written_pages {
  std::byte* begin;
  std::size_t bytes;
};

/// A copy that has left its process, as bytes. Its pages go beside them.
using packed_copy = std::vector<std::byte>;

}  // namespace imbrex::mpi
