// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/topology/dimensions.hpp>

namespace imbrex::mpi {

IMBREX_MPI_DEFINE(int, Dims_create, (int nnodes, int ndims, int dims[])) {
  return call("MPI_Dims_create", [&] {
    if (ndims < 0)
      throw error(MPI_ERR_DIMS,
                  "the number of dimensions is " + std::to_string(ndims) + "; it must not be negative");
    balance_dimensions(nnodes, std::span(dims, std::size_t(ndims)));
  });
}

}  // namespace imbrex::mpi
