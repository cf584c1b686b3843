// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/image/program_image.hpp>

namespace imbrex::mpi {

/// From now on crashes are told of with the functions of copies, and with the words for a full stack.
void tell_crashes_of_ranks();
/// Crashes in these libraries are told of with the option that gives each rank its own. Before ranks run.
void tell_crashes_in(std::vector<sharing_library> libraries);

}  // namespace imbrex::mpi
