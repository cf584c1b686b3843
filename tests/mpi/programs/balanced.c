/* SPDX-License-Identifier: Apache-2.0 */
/* Computes on the first two ranks a hundred times as much as on the others, until a balancer has them apart. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void compute(long steps) {
  volatile double x = 1;
  for (long i = 0; i < steps; ++i) x = x * 0.5 + 1;
}

int main(int argc, char** argv) {
  int rank, size, pe, first, count;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* places = malloc(sizeof(int) * (size_t)size);
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "ampi_load_balance", "sync");
  do {
    AMPI_Load_start_measure();
    compute(rank < 2 ? 1000000 : 10000);
    AMPI_Load_stop_measure();
    MPI_Barrier(MPI_COMM_WORLD);
    AMPI_Migrate(hints);
    MPIX_Get_pe(&pe, &first, &count);
    MPI_Allgather(&pe, 1, MPI_INT, places, 1, MPI_INT, MPI_COMM_WORLD);
  } while (places[0] == places[1]);
  MPI_Info_free(&hints);
  if (rank == 0) printf("the heavy ranks are apart\n");
  free(places);
  MPI_Finalize();
  return 0;
}
