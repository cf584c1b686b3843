// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::tools {

/// Predicted times of a run over another network.
struct replayed {
  std::uint64_t length =
      0;  ///< ns from the first record to the end of the main task, or else of the last piece
  std::vector<std::uint64_t> phase_times;  ///< by name: time in which any PE was in such a phase
  /// Pieces that never began, as their inputs did not arrive, and phases that would end before their begin:
  /// the trace lacks the dependency.
  std::uint64_t never = 0;
};

/// Simulates the run again. Each piece takes its recorded time, and messages between PEs also the link's
/// (`link_model`). A PE runs its items in the order of their arrival. O(n log n) for n pieces and messages.
replayed replay(const dataflow& run, const link_model& over);

/// The phase times of the recorded run itself, by name.
std::vector<std::uint64_t> recorded_phase_times(const dataflow& run);

}  // namespace imbrex::tools
