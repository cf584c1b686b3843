// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/harness/pace.hpp"
#include "apps/harness/progress.hpp"
#include "apps/jacobi3d/block_field.hpp"
#include "apps/jacobi3d/exchange.hpp"
#include "apps/jacobi3d/overlap.hpp"
#include "apps/jacobi3d/stencil.hpp"

namespace jacobi3d {

/// One block of the grid. It exchanges faces with up to six neighbours and never waits for anyone else:
/// neighbours may be an iteration ahead, whose faces wait in the mailbox.
class block : public imbrex::chare<block, imbrex::index<3>> {
 public:
  /// The array's shape tells how the grid is cut; `init` is what initial_values::parse takes. With `manual`
  /// overlap the interior is swept before the halos are waited for. A sweep of the whole grid has that pace.
  block(const extents& grid, const std::string& init, overlap_mode overlap, const pace& sweeps);

  /// Faces of neighbours; the reference number is the iteration that needs them.
  imbrex::mailbox<face> halo;

  /// Sends the faces of the first iteration. To be called once, and before the end of the first run() of all.
  void start();

  /// Iterates so often, or until the residual of all blocks is below a tolerance, if that is not 0. Without
  /// one the blocks meet nowhere, and the residual is computed in the last iteration, if it is wanted.
  imbrex::task<progress> run(std::int64_t iterations, double tolerance, bool residual_wanted);

  /// This block's part of the grid's checksum; the sum over all blocks is the grid's.
  std::uint64_t checksum();

  /// The current cells, z running fastest, without padding.
  std::vector<double> cells();

 private:
  void send_faces();
  double inner_part() const;
  template <class Sweep>
  double keep_pace(double part, Sweep sweep);

  decomposition cut_;
  extents place_;
  block_field field_;
  overlap_mode overlap_;
  pace pace_;
  store_policy stores_;
  int neighbours_ = 0;
  std::int64_t iteration_ = 0;
};

}  // namespace jacobi3d
