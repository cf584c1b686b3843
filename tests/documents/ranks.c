/* SPDX-License-Identifier: Apache-2.0 */
/* The program ./app or ./solver of ranks that documents name: steps of an exchange, and a checkpoint halfway. */
/* usage: ranks [-i STEPS] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* without a folder there is no checkpoint */
  const int steps = argc == 3 && strcmp(argv[1], "-i") == 0 ? atoi(argv[2]) : 40;
  double value = rank;
  for (int step = 1; step <= steps; ++step) {
    double left = 0;
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &left, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value = (value + left) / 2;
    if (step == steps / 2) MPIX_Checkpoint(NULL);
  }
  double sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.1f\n", sum);
  MPI_Finalize();
  return 0;
}
