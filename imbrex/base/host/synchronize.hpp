// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex {

/// Waits until the names in a folder, such as that of a new file, are on the disk. An empty text is the
/// current folder. File systems without such an operation, and folders that may not be read, are passed over.
/// Throws `error` with the reason if the disk fails.
void synchronize_folder(const std::string& folder);

}  // namespace imbrex
