/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of several programs: which of them, the first argument, and a variable of the environment. -DNAME names the
   program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int calls = 0;

int main(int argc, char** argv) {
  int rank, size, flag, sum = 0;
  int* number;
  MPI_Comm part;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
  MPI_Comm_split(MPI_COMM_WORLD, flag ? *number : MPI_UNDEFINED, rank, &part);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
  ++calls;
  const char* const set = getenv("OF_PARTS");
  printf("rank %d of %d: %s, number %d, sum %d, argument %s, variable %s, calls %d\n", rank, size, NAME, *number, sum,
         argc > 1 ? argv[1] : "none", set != NULL ? set : "none", calls);
  MPI_Comm_free(&part);
  MPI_Finalize();
  return 0;
}
