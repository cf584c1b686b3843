// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "apps/harness/decomposition.hpp"
#include "apps/harness/pace.hpp"
#include "apps/harness/progress.hpp"
#include "apps/sweep/balance.hpp"
#include "apps/sweep/kernel.hpp"
#include "apps/sweep/problem.hpp"

namespace sweep {

using harness::greatest_residual;
using harness::pace;
using harness::progress;

/// Angular fluxes through the face between two columns, in one step.
using face = std::vector<double>;

/// A part of the grid in x and y, with all its planes. The octants pass through it one after the other, each
/// by blocks of angles, from the first planes to the last. Each such step waits for the inflow from the
/// previous columns in x and y, and sends its outflow to the next ones. Iterations follow each other without
/// a barrier. Between iterations a column may migrate.
class column : public imbrex::chare<column, imbrex::index<2>> {
 public:
  /// The array's shape gives the decomposition.
  column(const problem& posed, const pace& steps);
  column() = default;

  /// The inflow along x and y. The reference number is the step's, counted from the first iteration on.
  imbrex::mailbox<face> x_inflow, y_inflow;

  /// Iterates `iterations` times, or until no cell of the grid changes by a tolerance (other than 0) or more.
  /// The residual is the change of this column's cells; with a tolerance of all cells.
  imbrex::task<progress> run(std::int64_t iterations, double tolerance);

  /// The balance of this column in the last iteration.
  particle_balance balance();

  /// This column's part of the grid's checksum; the sum over all columns is the grid's.
  std::uint64_t checksum();

  /// The scalar flux of the cells, z running fastest.
  std::vector<double> cells();

  /// The faces, which live within an iteration, are left out.
  void serialize(auto& ar) {
    ar(x_inflow, y_inflow, posed_, pace_, cut_, first_, count_, coefficients_, source_, flux_, last_flux_,
       leakage_, step_, progress_);
  }

 private:
  /// Computes the source of an iteration from the scalar flux of the last.
  void scatter();
  double residual() const;
  imbrex::task<> pass(int octant);
  imbrex::task<> take(const step& what);
  /// The column next to this one in x (dimension 0) or y; empty at the grid's end.
  std::optional<imbrex::index<2>> neighbour(int dimension, bool higher) const;
  void send_outflow(const step& what);
  /// Calls visit(index in the fields, x, y, z in the grid) for each cell.
  template <class Visit>
  void for_each_cell(Visit visit) const {
    std::size_t cell = 0;
    for (std::int64_t z = 0; z < count_[2]; ++z)
      for (std::int64_t y = first_[1]; y < first_[1] + count_[1]; ++y)
        for (std::int64_t x = first_[0]; x < first_[0] + count_[0]; ++x) visit(cell++, x, y, z);
  }

  problem posed_{};
  pace pace_;
  harness::decomposition cut_{};
  extents first_{}, count_{};
  coefficients coefficients_;
  std::vector<double> source_, flux_, last_flux_;
  face x_, y_, z_;  ///< fluxes of the current step
  double leakage_ = 0;
  std::int64_t step_ = 0;
  progress progress_;  ///< in the present call of run()
};

}  // namespace sweep
