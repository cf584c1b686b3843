// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace imbrex::mpi {

class rank_data;

/// Describes objects that a rank has made and not freed, operations not ended, and messages not received. An
/// example is "2 x communicator (rows, columns), 1 x datatype". Empty if there are none.
std::string describe_leaks(rank_data& data);

}  // namespace imbrex::mpi
