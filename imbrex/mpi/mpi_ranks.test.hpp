// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/rank/ranks.test.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

/// A test whose ranks run between MPI_Init and MPI_Finalize. Errors of MPI_COMM_WORLD are returned.
class on_mpi_ranks : public on_ranks {
 protected:
  program program_of_test() override {
    program what;
    what.make_state = [](rank& of) {
      auto state = std::make_unique<rank_data>(of);
      state->now = state->life.initialised = rank_data::phase::running;
      state->world().set_handler(ref(predefined_error_handler(MPI_ERRORS_RETURN)));
      return state;
    };
    return what;
  }
};

inline int error_class(int code) {
  int found = 0;
  MPI_Error_class(code, &found);
  return found;
}

}  // namespace imbrex::mpi
