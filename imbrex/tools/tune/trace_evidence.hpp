// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/tools/tune/observation.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tune {

/// What a trace says of how long the phases of that name took: the time in which at least one was under way.
/// Throws `error`, which names the phases that there are, if there was none, and if one does not end.
nanoseconds time_of_phase(trace::reader& in, const std::string& phase);

/// What the trace in that file says: the time of the phase, or of the whole run if none is named, and what it
/// was spent on. Throws `error` if the trace is not whole, and as `trace::reader` and `time_of_phase` do.
observation read_trace(const std::string& file, const std::string& phase);

}  // namespace imbrex::tune
