// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/replay/dataflow.hpp>
#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// How many records are read at most: a graph of more would not fit into memory.
inline constexpr std::uint64_t most_dataflow_records = 50'000'000;

/// Reads a trace to its end. Throws `usage_error` if it has more than `most_dataflow_records`, or lacks some:
/// dropped, or while recording was off in the middle.
dataflow read_dataflow(trace::reader& in);

/// Of a run only its PEs, phases and length; throws as `read_dataflow` does, however many records there are.
dataflow read_outline(trace::reader& in);

/// Reads a trace to its end and tells of what it did. Returns the names that entries have by number.
std::vector<std::string> read_dataflow(trace::reader& in, dataflow_listener& told);

}  // namespace imbrex::tools
