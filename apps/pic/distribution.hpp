// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "apps/pic/problem.hpp"

namespace pic {

/// The kernel's random numbers: a linear congruential generator of 64 bits.
class random_numbers {
 public:
  /// Begins after `numbers` numbers. O(log numbers).
  explicit random_numbers(std::uint64_t numbers);

  /// A number of particles of a cell, about `mean` on the average. Takes two numbers.
  std::int64_t particles(double mean);

 private:
  std::uint64_t next(std::uint64_t bound);

  std::uint64_t state_;
};

/// The mean number of particles of a cell of that column.
double mean_particles(const problem& posed, std::int64_t column);

/// The particles of the cells in these columns and rows, without numbers: in the middle of their cells, with
/// charges that make them move to the right. Equal for all decompositions, and as many as the kernel's own
/// programs have. O(cells).
std::vector<particle> initial_particles(const problem& posed, const rectangle& cells);

/// True if the particle is where it must be after `steps` steps.
bool is_in_place(const problem& posed, const particle& p, std::int64_t steps);

}  // namespace pic
