// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/object/status.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// What MPI_Rput and its like return: done when the origin's memory is the program's again, or what was asked
/// for has come.
class access_request final : public user_request {
 public:
  access_request() : user_request(false, {}) {}
  int outcome(MPI_Status& status) override {
    set_empty(status);
    return MPI_SUCCESS;
  }

 private:
  void begin(rank&) override { awaited().peer = request::is_several; }
};

}  // namespace imbrex::mpi
