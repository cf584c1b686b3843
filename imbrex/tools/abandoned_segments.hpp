// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <ctime>
#include <filesystem>
#include <set>

namespace imbrex::tools {

/// The folder of UCX's shared-memory files: UCX_POSIX_DIR or /dev/shm.
std::filesystem::path segment_folder();

/// Removes shared memory that UCX made for killed processes. UCX removes the name soon after it creates the
/// segment; a process killed before that leaves it behind. Removed are the files in `folder` created at
/// `since` or later that no process has open or mapped. System V segments created by processes in `ended` are
/// removed if no process is attached. File names do not show their owner, so use is looked up in /proc:
/// containers that share `folder` and the user need one PID namespace. Never throws; files that cannot be
/// removed stay. O(processes of this host) if there is such a file, else O(files in `folder`).
void remove_abandoned_segments(const std::filesystem::path& folder, std::time_t since,
                               const std::set<pid_t>& ended) noexcept;

}  // namespace imbrex::tools
