// SPDX-License-Identifier: Apache-2.0
// A program linked with imbrex::mpi and with the static libraries, which must be refused.
#include <mpi.h>

#include <imbrex/imbrex.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return imbrex::run(argc, argv, []() -> imbrex::task<> { co_return; });
}
