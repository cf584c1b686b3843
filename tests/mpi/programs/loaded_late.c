/* SPDX-License-Identifier: Apache-2.0 */
/* A program that comes to MPI by a library that it loads, as Python does, and that library (-DLIBRARY). */
#include <stdio.h>
#ifdef LIBRARY
#include <mpi.h>

void add_ranks(int* argc, char*** argv) {
  int rank = 0, sum = 0;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d, sum %d\n", rank, sum);
  MPI_Finalize();
}
#else
#include <dlfcn.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const char* preload = getenv("LD_PRELOAD");
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  void (*add_ranks)(int*, char***) = (void (*)(int*, char***))dlsym(library, "add_ranks");
  add_ranks(&argc, &argv);
  if (preload != NULL) printf("LD_PRELOAD is %s\n", preload);
  return 0;
}
#endif
