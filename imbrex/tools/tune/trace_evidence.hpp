// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/tools/tune/observation.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tune {

/// The total time in which at least one phase of this name was active. Throws `error` listing the existing
/// phases if there is none, and `error` if one does not end.
nanoseconds time_of_phase(trace::reader& in, const std::string& phase);

/// Reads the time of the phase, or of the whole run if `phase` is empty, and how the time was spent. Throws
/// `error` if the trace is incomplete, and as `trace::reader` and `time_of_phase` do.
observation read_trace(const std::string& file, const std::string& phase);

}  // namespace imbrex::tune
