// SPDX-License-Identifier: Apache-2.0
// The time in which a rank goes to another process with BYTES of heap, and that of a copy of as many bytes that no
// cache has. The last line is one JSON object; times are microseconds, medians of turns.
//   imbrex run -n 2 --pes 1 --ranks 2 --migratable hops BYTES HOPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { copies = 64 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

/// The value below which this part of the times lies.
static double quantile(double* times, long count, double part) {
  qsort(times, (size_t)count, sizeof *times, &compare);
  return times[(long)(part * (double)(count - 1))];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long bytes = argc == 3 ? atol(argv[1]) : -1;
  const long hops = argc == 3 ? atol(argv[2]) : 0;
  if (bytes < 1 || bytes > 1L << 30 || hops < 1) {
    if (rank == 0) fprintf(stderr, "usage: hops BYTES HOPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (rank == 0) {
    char* const data = malloc((size_t)bytes);
    const size_t room = (size_t)bytes * copies;
    char* const other = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (other == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
    double* const times = malloc((size_t)hops * sizeof *times);
    memset(data, 1, (size_t)bytes);
    memset(other, 1, room);
    for (long i = 0; i < hops; ++i) {
      const double began = MPI_Wtime();
      memcpy(other + (i + copies / 2) % copies * bytes, other + i % copies * bytes, (size_t)bytes);
      times[i] = MPI_Wtime() - began;
    }
    const double copy = quantile(times, hops, 0.5), quick_copy = quantile(times, hops, 0.1);
    munmap(other, room);
    for (long i = 0; i < hops; ++i) {
      const double began = MPI_Wtime();
      if (MPIX_Migrate((int)(i + 1) % 2) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
      times[i] = MPI_Wtime() - began;
    }
    printf("{\"bytes\": %ld, \"hop\": %.1f, \"copy\": %.1f, \"quick hop\": %.1f, \"quick copy\": %.1f}\n", bytes,
           quantile(times, hops, 0.5) * 1e6, copy * 1e6, quantile(times, hops, 0.1) * 1e6, quick_copy * 1e6);
    free(times);
    free(data);
  }
  MPI_Finalize();
  return 0;
}
