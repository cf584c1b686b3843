// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// Writes a trace as an archive of OTF2 for Vampir and others; docs/trace-report.md describes the mapping.
/// Creates `folder`. Memory: as `walk`, and a buffer of 256 KiB for each PE and stream. Throws `usage_error`
/// if the folder is not empty, or if Imbrex was built without OTF2; `error` if the archive cannot be written.
void convert_to_otf2(trace::reader& in, const std::string& folder);

}  // namespace imbrex::tools
