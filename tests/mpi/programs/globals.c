/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank changes its global variables while others do; all of them must find their own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counter = 5;
static char name[32];
static _Thread_local int of_thread = 1;

int main(int argc, char** argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "rank %d", rank);
  for (int round = 0; round < 10; ++round) {
    counter += rank;
    of_thread += rank;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(&counter, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("%s of %d: counter %d, of thread %d, sum %d, arguments", name, size, counter, of_thread, sum);
  for (int i = 1; i < argc; ++i) printf(" %s", argv[i]);
  printf("\n");
  MPI_Finalize();
  return 0;
}
