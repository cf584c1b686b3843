// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance {

/// The busiest of several over the average of all, in time: loads over speeds. 1 if there is no load.
struct imbalance {
  double pes = 1;      ///< largest load of a PE over the average
  double devices = 1;  ///< largest load of a device over the average
  double nodes = 1;    ///< largest load of a node over the average
};

/// The quality of a solution, by the loads of a problem.
struct quality {
  imbalance after;          ///< imbalance of the solution
  double moved = 0;         ///< fraction of the objects that change their PE
  std::uint64_t bytes = 0;  ///< bytes of these migrations
  double cut = 0;           ///< fraction of the bytes of edges that go between PEs
  double node_cut = 0;      ///< fraction of the bytes of edges that go between nodes
};

/// The imbalance with each object on its PE of `pes`. O(objects + PEs).
imbalance imbalance_of(const problem& p, std::span<const int> pes);

/// All of the quality. The objects move from their PEs in the problem to those of the solution.
/// O(objects + edges + PEs).
quality quality_of(const problem& p, std::span<const int> solution);

/// The fraction of the bytes of edges that go between nodes; 0 if there are no edges. O(objects + edges).
double node_cut_of(const problem& p, std::span<const int> pes);

}  // namespace imbrex::balance
