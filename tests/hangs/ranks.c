/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks 0 and 1 wait for messages that nobody sends, and rank 2 polls, so that the run is never quiet. */
#include <stdio.h>

#include <mpi.h>

int main(int argc, char** argv) {
  int rank;
  int value;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    puts("begun");
    fflush(stdout);
    MPI_Recv(&value, 1, MPI_INT, 2, 98, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (;;) MPI_Iprobe(1, 5, MPI_COMM_WORLD, &value, MPI_STATUS_IGNORE);
}
