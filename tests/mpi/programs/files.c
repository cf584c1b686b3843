/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks write blocks of a file in turn, and read each other's.
   usage: files FILE [STEP]    process of rank 1 dies in the collective write of this step */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { steps = 8, numbers = 1000 };

static void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "%s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int last = argc > 2 ? atoi(argv[2]) : steps;
  MPI_File file;
  check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  MPI_Datatype tile;
  MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * size, &tile);
  MPI_Type_commit(&tile);
  check(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * rank, MPI_INT, tile, "native", MPI_INFO_NULL));
  MPI_Type_free(&tile);
  int values[numbers];
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < numbers; ++i) values[i] = (step * numbers + i) * size + rank;
    MPI_Request request;
    check(MPI_File_iwrite_all(file, values, numbers, MPI_INT, &request));
    if (step == last && rank == 1) raise(SIGKILL);
    check(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  check(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  int wrong = 0;
  for (int step = 0; step < steps; ++step) {
    check(MPI_File_read_ordered(file, values, numbers, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < numbers; ++i) wrong += values[i] != (step * size + rank) * numbers + i;
  }
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &wrong, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", wrong);
  check(MPI_File_close(&file));
  MPI_Finalize();
  return 0;
}
