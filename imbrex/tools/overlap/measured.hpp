// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/tools/overlap/model.hpp>
#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::overlap {

/// Selects the measured part of a recorded run.
struct measured_part {
  std::string phase{};                        ///< all phases of this name; empty: the whole run
  std::optional<std::uint64_t> iterations{};  ///< number of iterations in it; counted if absent
};

/// The measured parameters of section 3.1, with one datum for each mailbox or entry method used between PEs.
struct measured_program {
  application program;
  std::uint64_t iterations = 1;
  bool counted = false;  ///< the reference numbers of messages gave `iterations`
};

/// Measures a recorded run. Except T_AC, each datum has the numbers, per iteration, of the PE that receives
/// most of it:
///
/// - N_S: the words in messages from other PEs.
/// - N_P, T_P, P(i): from `trace::produce` in the pieces of work that sent the messages. Without it, N_P is
///   the words of all messages by that port, and T_P the time of those pieces.
/// - T_AP: from the end of that `trace::produce` to the send, for the median message; 0 without it.
/// - N_C, T_C, C(i): from `trace::consume` in the pieces that needed the messages, else as above.
/// - T_AC: a PE's working time between the send of a message and its first use. The value is the median
///   message's on the PE where that is least. So overlap that the run itself has, by ODF or by hand, is in
///   T_AC.
/// - Data are pipelined if no pair of PEs exchanges them in both directions with the same reference number.
///
/// T_comp is the working time of the busiest PE. There are no data if PEs exchange no messages of the program
/// except broadcasts and reductions. Throws `usage_error` if the part does not exist.
measured_program measure(const tools::dataflow& run, const measured_part& part, const std::string& name);

/// Measures a trace file of any length: reads it twice and keeps little in memory. `warnings` gets the
/// trace's warnings, also if the call throws.
measured_program measure(const std::string& file, const measured_part& part, const std::string& name,
                         std::vector<std::string>& warnings);

/// The program without the independent work that loop indexing would add.
application as_it_is(application program);

}  // namespace imbrex::overlap
