// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/mpi/image/program_image.hpp>

namespace imbrex::mpi {

/// Adds the functions of copies, and a message for a full stack, to crash reports from now on.
void tell_crashes_of_ranks();
/// Adds to reports of crashes in these libraries the option that gives each rank its own. Call before ranks
/// run.
void tell_crashes_in(std::vector<sharing_library> libraries);

}  // namespace imbrex::mpi
