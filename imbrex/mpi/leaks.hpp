// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::mpi {

class rank_data;

/// What a rank has begun or made and neither ended nor freed, and messages that it has not received, such as
/// "2 x communicator (rows, columns), 1 x datatype". Empty if there is nothing.
std::string describe_leaks(rank_data& data);

}  // namespace imbrex::mpi
