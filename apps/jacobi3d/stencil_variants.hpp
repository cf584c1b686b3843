// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// A sweep of the rows with first_plane <= x < last_plane and first_row <= y < last_row.
struct sweep_part_arguments {
  block_field::sweep_view view;
  std::size_t nx, ny, nz;
  std::size_t first_plane, last_plane;
  std::size_t first_row, last_row;
  std::size_t ahead;      ///< prefetch distance in rows, from the row that a cell's sweep reads first
  std::size_t tile_rows;  ///< rows of one plane that are swept before the next plane
  bool streaming;
  bool change;
};

double sweep_part_portable(const sweep_part_arguments& part);
#if defined(__x86_64__)
double sweep_part_avx2(const sweep_part_arguments& part);
double sweep_part_avx512(const sweep_part_arguments& part);
#endif

}  // namespace jacobi3d
