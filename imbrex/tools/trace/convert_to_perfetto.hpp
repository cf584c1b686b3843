// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// Writes a trace as a file that the viewer at ui.perfetto.dev opens: a thread for each PE with slices for
/// items, turns and coroutines that go on, arrows from where messages were sent to where they began, instants
/// for marks, tracks for phases and for the streams of devices. Throws `error` if the file cannot be written.
void convert_to_perfetto(trace::reader& in, const std::string& path);

}  // namespace imbrex::tools
