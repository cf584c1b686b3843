// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// Prepares for forks by copies, so that child processes can be detected. A child made by fork leaves
/// buffered stream data to its parent. Call before copies run; only the first call counts.
void watch_children();

/// Whether this process is a child that a copy or a library has made by fork, vfork or clone. The end of a
/// child is not the end of a copy. False without `watch_children`. Signal handlers may call it.
bool is_child() noexcept;

}  // namespace imbrex::mpi
