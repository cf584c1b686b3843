// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/early_end.hpp>

namespace imbrex::mpi {

std::string early_end::description() const {
  return "nothing: rank " + std::to_string(rank_) + " has ended (status 0) before it called MPI_Finalize";
}

}  // namespace imbrex::mpi
