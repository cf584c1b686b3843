// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/replay/dataflow.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// The largest number of records to read; the graph of more would not fit into memory.
inline constexpr std::uint64_t most_dataflow_records = 50'000'000;

/// Reads a trace to its end. Throws `usage_error` if it has more than `most_dataflow_records`, or if records
/// are missing: dropped, or because recording was off in between.
dataflow read_dataflow(trace::reader& in);

/// Reads only PEs, phases and length of a run, with any number of records. Throws as `read_dataflow` does.
dataflow read_outline(trace::reader& in);

/// Reads a trace to its end and calls `listener`. Returns the names of entries by number.
std::vector<std::string> read_dataflow(trace::reader& in, dataflow_listener& listener);

}  // namespace imbrex::tools
