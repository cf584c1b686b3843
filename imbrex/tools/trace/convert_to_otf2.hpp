// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/trace/reader.hpp>

namespace imbrex::tools {

/// Writes a trace as an archive of OTF2, which Vampir and others open: docs/trace-report.md says what becomes
/// what. `folder` is created. Memory: as `walk`, and a buffer of 256 KiB for each PE and stream. Throws
/// `usage_error` if the folder is not empty, or Imbrex was built without OTF2, and `error` if the archive
/// cannot be written.
void convert_to_otf2(trace::reader& in, const std::string& folder);

}  // namespace imbrex::tools
