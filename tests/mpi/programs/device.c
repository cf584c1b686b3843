/* SPDX-License-Identifier: Apache-2.0
 * Numbers in the memory of devices go once around all ranks, through buffers of any kind, and are added up. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 100000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long* host = malloc(count * sizeof *host);
  for (int i = 0; i < count; ++i) host[i] = rank + i;
  long *own, *next;
  MPIX_Device_malloc(count * sizeof *own, &own);
  MPIX_Device_malloc(count * sizeof *next, &next);
  MPIX_Device_memcpy(own, host, count * sizeof *own);
  for (int round = 0; round < size; ++round) {
    MPI_Sendrecv(own, count, MPI_LONG, (rank + 1) % size, 0, next, count, MPI_LONG, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long* const came = next;
    next = own;
    own = came;
  }
  MPIX_Device_memcpy(host, own, count * sizeof *own);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += host[i] != rank + i;
  MPI_Allreduce(own, next, count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPIX_Device_memcpy(host, next, count * sizeof *next);
  for (int i = 0; i < count; ++i) wrong += host[i] != (long)size * (size - 1) / 2 + (long)size * i;
  printf("rank %d: %d wrong\n", rank, wrong);
  MPIX_Device_free(own);
  if (argc == 1) MPIX_Device_free(next);
  free(host);
  MPI_Finalize();
  return 0;
}
