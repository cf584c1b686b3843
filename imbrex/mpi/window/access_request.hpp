// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/object/status.hpp>
#include <imbrex/mpi/user_request.hpp>

namespace imbrex::mpi {

/// The request that MPI_Rput and its relatives return. Complete once the program may use the origin's memory
/// again, or the result has arrived.
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
