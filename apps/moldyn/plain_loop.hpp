// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/moldyn/torus_block.hpp"

namespace moldyn::torus {

/// The cell program by plain loops over arrays, on one processor: the reference for the others. It has no
/// halos, sends nothing, and moves only particles that leave their cell.
class plain_loop {
 public:
  /// The first `filled` rows have particles.
  plain_loop(const imbrex::index<2>& cells, int filled);

  void advance(std::int64_t cycles);
  summary sums() const;
  /// The number of changes of cells by particles so far.
  std::int64_t migrated() const { return migrated_; }

 private:
  /// Slots of each cell in the arrays.
  static constexpr std::size_t room = 48;

  struct mover {
    std::size_t to;
    particle what;
  };

  std::size_t cell_at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cells_[1]) +
           static_cast<std::size_t>(column);
  }
  void add(std::size_t cell, const particle& p);
  void migrate();
  double interact_all();

  imbrex::index<2> cells_;
  std::vector<std::size_t> counts_;
  std::vector<double> x_, y_, vx_, vy_, fx_, fy_;
  std::vector<mover> movers_;
  double potential_ = 0;
  std::int64_t migrated_ = 0;
};

}  // namespace moldyn::torus
