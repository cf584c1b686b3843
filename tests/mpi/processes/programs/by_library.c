/* SPDX-License-Identifier: Apache-2.0 */
/* A program that knows nothing of MPI, and the library (-DLIBRARY) by which it comes to it. */
#include <stdio.h>

void add_up(int* argc, char*** argv, int crashes);

#ifdef LIBRARY
#include <mpi.h>

static int rank_of_caller[64] = {-1}; /* a variable of the library */

void add_up(int* argc, char*** argv, int crashes) {
  int sum = 0;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_caller[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&rank_of_caller[0], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (crashes && rank_of_caller[0] == 1) *(volatile int*)8 = 1;
  printf("rank %d, sum %d\n", rank_of_caller[0], sum);
  MPI_Finalize();
}
#else
int main(int argc, char** argv) {
  add_up(&argc, &argv, argc > 1);
  return 0;
}
#endif
