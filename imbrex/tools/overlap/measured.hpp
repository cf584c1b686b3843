// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/tools/overlap/model.hpp>
#include <imbrex/tools/replay/dataflow.hpp>

namespace imbrex::overlap {

/// Which part of a recorded run is measured.
struct measured_part {
  std::string phase{};                        ///< all phases of that name; empty: the whole run
  std::optional<std::uint64_t> iterations{};  ///< that it holds; if not given they are counted
};

/// The parameters of section 3.1, measured; one datum for each mailbox or entry method that PEs exchange
/// messages by.
struct measured_program {
  application program;
  std::uint64_t iterations = 1;
  bool counted = false;  ///< the iterations, by the reference numbers of the messages
};

/// Measures a recorded run. Of each datum the numbers are those of the PE that receives most of it, but for
/// T_AC, an iteration:
///
/// - N_S: the words in messages that came from other PEs.
/// - N_P, T_P, P(i): by `trace::produce` in the pieces of work that sent them. Without: N_P are the words of
///   all messages by that port, T_P what those pieces took.
/// - T_AP: from the end of such a `trace::produce` to the sending, with the median message; 0 without.
/// - N_C, T_C, C(i): by `trace::consume`, or in the same way of the pieces that needed them.
/// - T_AC: what a PE worked from the time at which a message was sent until it was needed, with the median
///   message of the PE where that is least; so what the run itself hides, by ODF or by hand, is in T_AC.
/// - Pipelined are data that no pair of PEs exchanges in both directions with the same reference number.
///
/// T_comp is the time that the busiest PE worked. There are no data if PEs exchange no messages of the
/// program, but broadcasts and reductions at most. Throws `usage_error` if the part is not there.
measured_program measure(const tools::dataflow& run, const measured_part& part, const std::string& name);

/// The same of a trace of any length, which is read twice, and of which little is kept. `warnings` are those
/// of the trace, also if it throws.
measured_program measure(const std::string& file, const measured_part& part, const std::string& name,
                         std::vector<std::string>& warnings);

/// The same program as it is: without what loop indexing would make available.
application as_it_is(application program);

}  // namespace imbrex::overlap
