// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <ctime>
#include <filesystem>
#include <set>

namespace imbrex::tools {

/// Where UCX makes the files of its shared memory: UCX_POSIX_DIR or /dev/shm.
std::filesystem::path segment_folder();

/// Removes the shared memory that UCX made for processes that were killed before they could remove its name,
/// which they do a moment later: files in `folder` made at `since` or later that nobody has open or mapped,
/// and System V segments that processes of `ended` made and nobody is attached to. A file's name does not
/// tell whose it is: "nobody" is nobody in /proc, so containers that share `folder` and the user need one PID
/// namespace. Never throws; what cannot be removed stays. O(processes of this host) if there is such a file,
/// else O(files in `folder`).
void remove_abandoned_segments(const std::filesystem::path& folder, std::time_t since,
                               const std::set<pid_t>& ended) noexcept;

}  // namespace imbrex::tools
