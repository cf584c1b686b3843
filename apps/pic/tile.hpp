// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/pic/problem.hpp"

namespace pic {

/// The particles of some tiles after the last step.
struct summary {
  std::int64_t particles = 0;
  std::int64_t misplaced = 0;  ///< particles that are not where they must be
  std::int64_t sum_of_numbers = 0;

  summary operator+(const summary& other) const {
    return {particles + other.particles, misplaced + other.misplaced, sum_of_numbers + other.sum_of_numbers};
  }
};

/// A rectangle of cells with its particles. In each step it moves them, and sends those that leave to the
/// tiles around it, which are all within a particle's reach. Between steps it may migrate.
class tile : public imbrex::chare<tile, imbrex::index<2>> {
 public:
  /// The particles that a neighbour sends; the reference number is the step's.
  imbrex::mailbox<std::vector<particle>> arrivals;

  /// Makes the tile's particles, without numbers. The array's shape gives the decomposition.
  explicit tile(const problem& posed);
  tile() = default;

  /// The number of particles.
  std::int64_t size();
  /// Numbers the particles. `first` has the first number of each tile, in the order of their indices. No tile
  /// may run before.
  void number(const std::vector<std::int64_t>& first);

  /// Runs until step `until`. `time`: what a particle takes in a step in simulated time.
  imbrex::task<> run(std::int64_t until, imbrex::nanoseconds time);

  summary check();

  void serialize(auto& ar) { ar(arrivals, posed_, cut_, own_, neighbours_, corners_, particles_, step_); }

 private:
  void find_neighbours();
  /// Moves all particles. Takes out those that leave, by their tiles in the order of `neighbours_`.
  std::vector<std::vector<particle>> advance();
  std::size_t neighbour_at(double x, double y) const;

  problem posed_;
  harness::decomposition cut_{};
  rectangle own_;
  std::vector<imbrex::index<2>> neighbours_;
  std::vector<double> corners_;  ///< charges of the corners, the rows of a column one after the other
  std::vector<particle> particles_;
  std::int64_t step_ = 0;
};

}  // namespace pic
