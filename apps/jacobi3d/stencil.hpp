// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "apps/jacobi3d/block_field.hpp"

namespace jacobi3d {

/// The way new cells are stored: through the caches, or past them. Streaming stores save reading each line
/// before it is written. They pay if cells leave the cache before they are read again.
enum class store_policy { cached, streaming };

/// The best policy for data of this size that are swept repeatedly by the cores of one last-level cache.
store_policy stores_for(std::uint64_t bytes);

/// Vector instructions for which the sweep is compiled. All give the same cells, bit for bit.
enum class instruction_set { portable, avx2, avx512 };

bool supported(instruction_set set);
/// The widest instruction set of this processor.
instruction_set widest_instruction_set();

struct sweep_options {
  store_policy stores = store_policy::cached;
  bool change = true;  ///< compute the result of sweep(), at a small cost
  instruction_set instructions = widest_instruction_set();
};

/// One Jacobi sweep: each new cell is the old one plus its six neighbours, added in the order centre, low x,
/// high x, low y, high y, low z, high z, divided by 7. Afterwards the new cells are current, and the outgoing
/// faces hold their outermost layers. Returns the greatest absolute difference between a new and an old cell,
/// or 0 if options.change is false.
double sweep(block_field& field, const sweep_options& options = {});

/// The parts of a sweep before and after the halos arrive. sweep_interior() sweeps the cells that need no
/// halo of a shared side, and does not change the outgoing faces. sweep_exterior(), called when all halos
/// have been put after that, sweeps the rest and ends the sweep as sweep() does. Each returns its part's
/// greatest difference.
double sweep_interior(block_field& field, const sweep_options& options = {});
double sweep_exterior(block_field& field, const sweep_options& options = {});

/// Sweeps the planes first <= x < last. Several threads may sweep different planes of a field without shared
/// sides; one of them calls field.flip() when all have finished.
double sweep_planes(block_field& field, std::int64_t first, std::int64_t last, const sweep_options& options);

}  // namespace jacobi3d
