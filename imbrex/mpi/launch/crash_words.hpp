// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// From now on crashes are told of with the functions of copies, and with the words for a full stack.
void tell_crashes_of_ranks();

}  // namespace imbrex::mpi
