/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 forgets what it has made; rank 2 comes late to the end, where all meet. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, number = 7;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    MPI_Datatype rows;
    MPI_Request never;
    MPI_Comm own;
    MPI_Type_contiguous(3, MPI_INT, &rows);
    MPI_Recv_init(&number, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, &never);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_set_name(own, "rows");
    MPI_Probe(0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  }
  if (rank == 2) printf("late\n");
  MPI_Finalize();
  if (rank != 2) printf("end\n");
  return 0;
}
