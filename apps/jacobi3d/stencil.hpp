// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// How new cells are stored: through the caches, or past them, which saves reading each line before it is
/// written and pays when the cells will have left the cache before they are read again.
enum class store_policy { cached, streaming };

/// What suits data of so many bytes being swept again and again by the cores that share one last-level cache.
store_policy stores_for(std::uint64_t bytes);

/// Vector instructions that the sweep was compiled for. All give the same cells, bit for bit.
enum class instruction_set { portable, avx2, avx512 };

bool supported(instruction_set set);
/// The widest that this processor has.
instruction_set widest_instruction_set();

struct sweep_options {
  store_policy stores = store_policy::cached;
  bool change = true;  ///< compute what sweep() returns; costs a little
  instruction_set instructions = widest_instruction_set();
};

/// One Jacobi sweep: each new cell is the old one plus its six neighbours, added in the order centre, low x,
/// high x, low y, high y, low z, high z, divided by 7. Then the new cells are the current ones and the
/// outgoing faces hold their outermost layers. Returns the greatest absolute difference between a new and an
/// old cell, or 0 when options.change is false.
double sweep(block_field& field, const sweep_options& options = {});

/// The parts of a sweep before and after the halos come. sweep_interior() sweeps the cells that need no halo
/// of a shared side, and leaves the outgoing faces alone. sweep_exterior(), when all halos have been put
/// after that, sweeps the rest and ends the sweep as sweep() does. Each returns its part's greatest
/// difference.
double sweep_interior(block_field& field, const sweep_options& options = {});
double sweep_exterior(block_field& field, const sweep_options& options = {});

/// The part of a sweep for the planes first <= x < last. Different planes of a field without shared sides may
/// be swept by different threads; one of them calls field.flip() when all have finished.
double sweep_planes(block_field& field, std::int64_t first, std::int64_t last, const sweep_options& options);

}  // namespace jacobi3d
