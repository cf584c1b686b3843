// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <imbrex/imbrex.hpp>
#include <imbrex/io.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/harness/pace.hpp"
#include "apps/harness/progress.hpp"
#include "apps/jacobi3d/block_field.hpp"
#include "apps/jacobi3d/exchange.hpp"
#include "apps/jacobi3d/hot_blocks.hpp"
#include "apps/jacobi3d/overlap.hpp"
#include "apps/jacobi3d/stencil.hpp"

namespace jacobi3d {

/// One block of the grid. It exchanges faces with up to six neighbours and waits for no other block. Faces of
/// neighbours that are an iteration ahead wait in the mailbox. Between iterations it may migrate.
class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  /// The array's shape gives the decomposition. `init`: see initial_values::parse. With `manual` overlap the
  /// interior is swept before waiting for the halos. `sweeps`: the minimal time of a sweep of the whole grid.
  block(const extents& grid, const std::string& init, overlap_mode overlap, const pace& sweeps,
        const hot_blocks& hot);
  block() = default;

  /// Faces of neighbours; the reference number is the iteration that needs them.
  imbrex::mailbox<face> halo;

  /// Sends the faces of the first iteration. Call it once, before the first run() of any block ends.
  void start();

  /// Makes iterations `first` to `end` - 1, as far as they are not made yet, or until the residual of all
  /// blocks is below a tolerance other than 0. Without a tolerance the blocks never synchronise, and the
  /// residual is computed in the last iteration, if requested.
  imbrex::task<progress> run(std::int64_t first, std::int64_t end, double tolerance, bool needs_residual);

  /// This block's part of the grid's checksum; the sum over all blocks is the grid's.
  std::uint64_t checksum();

  /// The current cells, z running fastest.
  imbrex::packed_cells<double, 3> cells() const;

  void serialize(auto& ar) {
    ar(halo, cut_, place_, field_, overlap_, pace_, sweeps_, stores_, neighbours_, iteration_, residual_);
  }

 private:
  void send_faces();
  double inner_part() const;
  template <class Sweep>
  double keep_pace(double part, Sweep sweep);
  /// Sweeps as often as this block must. `ends`: after each sweep the new cells are the current ones.
  template <class Sweep>
  double repeat(double part, bool ends, Sweep sweep);

  decomposition cut_;
  extents place_{};
  block_field field_;
  overlap_mode overlap_ = overlap_mode::automatic;
  pace pace_;
  std::int64_t sweeps_ = 1;  ///< in an iteration
  store_policy stores_ = store_policy::cached;
  int neighbours_ = 0;
  std::int64_t iteration_ = 0;
  double residual_ = 0;  ///< greatest change of a cell in the last iteration, if requested
};

}  // namespace jacobi3d
