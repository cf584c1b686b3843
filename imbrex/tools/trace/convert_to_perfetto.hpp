// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// Writes a trace as a file for the viewer at ui.perfetto.dev. Each PE is a thread with slices for items,
/// turns and resumed coroutines. Arrows lead from sends to the begins of messages, instants show marks, and
/// tracks show phases and streams of devices. Throws `error` if the file cannot be written.
void convert_to_perfetto(trace::reader& in, const std::string& path);

}  // namespace imbrex::tools
