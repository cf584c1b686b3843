/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a number around, which each rank but 0 counts up, and messages of all lengths across. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void exchange(int rank, int size, int bytes) {
  char* out = malloc((size_t)bytes);
  char* in = malloc((size_t)bytes);
  MPI_Request both[2];
  for (int i = 0; i < bytes; ++i) out[i] = (char)(rank + i);
  MPI_Irecv(in, bytes, MPI_BYTE, (rank + size / 2) % size, 1, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(out, bytes, MPI_BYTE, (rank + size - size / 2) % size, 1, MPI_COMM_WORLD, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  for (int i = 0; i < bytes; ++i)
    if (in[i] != (char)((rank + size / 2) % size + i)) MPI_Abort(MPI_COMM_WORLD, 4);
  free(out);
  free(in);
}

int main(int argc, char** argv) {
  int rank, size, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 3; ++round) {
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) continue;
    ++token;
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
  }
  for (int bytes = 1; bytes < 200000; bytes *= 7) exchange(rank, size, bytes);
  if (rank == 0) printf("token %d\n", token);
  MPI_Finalize();
  return 0;
}
