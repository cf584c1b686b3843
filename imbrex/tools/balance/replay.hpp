// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/balance/record_reader.hpp>

namespace imbrex::tools::balance {

/// A machine to replay a record on.
struct other_machine {
  int pes = 0;       ///< 0: those of the run
  int node_pes = 0;  ///< PEs on each node; 0: as in the run
};

/// The edges by which solutions are judged.
enum class cut_edges {
  none,        ///< objects have neither edges nor indices
  neighbours,  ///< pairs of elements whose indices differ by 1 in one dimension
  recorded,    ///< recorded edges, by their bytes
};

/// The results of a strategy.
struct strategy_results {
  std::string name;
  std::vector<double> imbalance;  ///< busiest PE over the average after each decision
  // Means of the decisions.
  double moved = 0;  ///< fraction of the objects
  double cut = 0, node_cut = 0;
  double seconds = 0;  ///< time of a solution

  double mean() const;
  double worst() const;
};

/// A record that has been replayed.
struct replayed_record {
  std::string recorded_with;  ///< the run's strategy
  int pes = 0, nodes = 0;
  std::size_t objects = 0;      ///< in the last period
  std::uint64_t decisions = 0;  ///< number of decisions of each strategy
  double sent_bytes = 0;        ///< bytes that all objects sent each other in a period, on average
  double sent_messages = 0;     ///< number of messages with them
  cut_edges edges = cut_edges::none;
  std::vector<strategy_results> strategies;
};

/// Replays a record: each strategy decides on each period with measured loads, and is judged by the loads of
/// the next one. Objects start on the PEs of the first such period; on a machine with other PEs, in equal
/// numbers along the curve. Throws usage_error for an unknown strategy, a record without two such periods one
/// after the other, or nodes that the machine cannot have.
replayed_record replay(imbrex::balance::record_reader& record, std::span<const std::string> strategies,
                       const other_machine& on);

}  // namespace imbrex::tools::balance
