// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/net/delay/link_model.hpp>
#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::tools {

/// How a run would have gone over another network.
struct replayed {
  std::uint64_t length =
      0;  ///< from the first record to the end of the main task, or else of the last piece, in ns
  std::vector<std::uint64_t>
      phase_times;  ///< by name: how long there was a phase of it, on one PE or on several
  /// Pieces that could not begin, since what they waited for did not come, and phases that would end before
  /// they begin: the trace does not tell that their end needs it.
  std::uint64_t never = 0;
};

/// Does again what the run did: each piece takes its time, but messages between PEs also that of the link
/// (`link_model`), and a PE takes its items in the order in which they come. O(n log n) for n pieces and
/// messages.
replayed replay(const dataflow& run, const link_model& over);

/// The same of the recorded run itself.
std::vector<std::uint64_t> recorded_phase_times(const dataflow& run);

}  // namespace imbrex::tools
