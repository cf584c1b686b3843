// SPDX-License-Identifier: Apache-2.0
// Calls MPI outside of main: in a destructor, and in a constructor of a library (-DLIBRARY).
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#ifdef LIBRARY
__attribute__((constructor)) void begin() {
  int flag = -1;
  MPI_Initialized(&flag);
  std::printf("initialised %d, the time is %s\n", flag, MPI_Wtime() > 0 ? "known" : "unknown");
  std::fflush(stdout);
  if (std::getenv("CALLS_EARLY") != nullptr) MPI_Barrier(MPI_COMM_WORLD);
}
#else
void begin();

namespace {

bool calls_late = false;

struct global {
  ~global() {
    int flag = -1;
    MPI_Finalized(&flag);
    std::printf("finalised %d\n", flag);
    std::fflush(stdout);
    int size = 0;
    if (calls_late) MPI_Type_size(MPI_INT, &size);
  }
} last;

}  // namespace

int main(int argc, char** argv) {
  calls_late = argc > 1;
  if (argc < 0) begin();  // never true; forces a link to the library
  MPI_Init(&argc, &argv);
  MPI_Finalize();
}
#endif
