/* SPDX-License-Identifier: Apache-2.0 */
/* A program that knows nothing of balancing: the first two ranks compute a hundred times as much as the others,
 * until they run on different threads. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void compute(long steps) {
  volatile double x = 1;
  for (long i = 0; i < steps; ++i) x = x * 0.5 + 1;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int64_t* threads = malloc(sizeof(int64_t) * (size_t)size);
  double sum = 0;
  do {
    compute(rank < 2 ? 1000000 : 10000);
    double own = rank;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    int64_t thread = syscall(SYS_gettid);
    MPI_Allgather(&thread, 1, MPI_INT64_T, threads, 1, MPI_INT64_T, MPI_COMM_WORLD);
  } while (threads[0] == threads[1]);
  if (rank == 0) printf("the heavy ranks are apart, sum %g\n", sum);
  free(threads);
  MPI_Finalize();
  return 0;
}
