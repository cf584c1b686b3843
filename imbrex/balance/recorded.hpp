// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/balance/decision.hpp>
#include <imbrex/balance/snapshot.hpp>

namespace imbrex::balance {

// The contents of a record (`--balance-record`, docs/balancing.md).

/// The run of a record, with the data that stay in the run.
struct recorded_run {
  std::string strategy{};  ///< the name given to `--balance`
  int pes = 0;
  std::vector<int> node{}, device{};  ///< for each PE, as in `machine`
  std::vector<double> speed{};        ///< for each PE, as in `machine`

  void serialize(auto& ar) { ar(strategy, pes, node, device, speed); }
};

/// The name of an object: the number of its array, and that of its key in the array.
struct object_name {
  std::uint64_t array = 0, key = 0;

  auto operator<=>(const object_name&) const = default;
};

/// The data that stay while the objects do.
struct recorded_objects {
  std::vector<object_name> names;
  int dimensions = 0;
  std::vector<float> coordinates;

  void serialize(auto& ar) { ar(names, dimensions, coordinates); }
};

/// A period of a run.
struct recorded_period {
  double ended = 0;                    ///< seconds of the run's periods so far
  action taken = action::wait;         ///< the action that followed
  bool is_measured = true;             ///< false: many objects have not had a whole step yet
  snapshot problem{};                  ///< the objects at its end, with the loads expected in the next period
  std::vector<float> measured{};       ///< seconds that each object took in this period
  std::vector<std::uint32_t> moved{};  ///< objects that were asked to move, in order
  std::vector<std::int32_t> to{};      ///< where each of them was asked to move

  /// Leaves out the data that stay while the objects or the run do.
  void serialize(auto& ar) {
    ar(ended, taken, is_measured, measured, moved, to);
    ar(problem.pe, problem.load, problem.device_load, problem.device_elapsed, problem.movable, problem.bytes,
       problem.device_bytes, problem.sent, problem.first_edge, problem.edge_to, problem.edge_bytes,
       problem.free_memory, problem.seed);
  }
};

}  // namespace imbrex::balance
