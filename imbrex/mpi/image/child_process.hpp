// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// Notes that copies run in this process, so that its children are told apart. A child that is made by fork
/// leaves to its parent what streams have buffered there. Before copies run; the first call counts.
void watch_children();

/// Whether this process is a child that a copy, or a library, has made by fork, vfork or clone. A child's end
/// is no copy's. False where `watch_children` was not called. Handlers of signals may ask.
bool is_child() noexcept;

}  // namespace imbrex::mpi
