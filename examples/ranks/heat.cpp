// SPDX-License-Identifier: Apache-2.0
// A rod by ranks of MPI. Chares (monitor.cpp) get the cells of each step, while the ranks go on.
#include <mpi.h>

#include <cstdio>

#include "monitor.h"

namespace {
constexpr int cells = 40, steps = 50;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  char handle[monitor_handle_size] = {0};
  if (rank == 0) monitor_make(ranks, handle);
  MPI_Bcast(handle, monitor_handle_size, MPI_CHAR, 0, MPI_COMM_WORLD);

  double heat[cells + 2] = {0}, next[cells + 2] = {0};
  if (rank == ranks / 2)
    for (int i = 1; i <= cells; ++i) heat[i] = 1;
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(&heat[1], 1, MPI_DOUBLE, before, 0, &heat[cells + 1], 1, MPI_DOUBLE, after, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&heat[cells], 1, MPI_DOUBLE, after, 1, &heat[0], 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= cells; ++i) next[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
    for (int i = 1; i <= cells; ++i) heat[i] = next[i];
    monitor_show(handle, rank, step, &heat[1], cells);
  }

  double largest = heat[1], largest_of_all = 0;
  for (int i = 2; i <= cells; ++i)
    if (heat[i] > largest) largest = heat[i];
  MPI_Allreduce(&largest, &largest_of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double seen = rank == 0 ? monitor_largest(handle, steps) : largest_of_all;
  if (rank == 0)
    std::printf("%d ranks: the largest cell is %.6f, and chares saw %.6f\n", ranks, largest_of_all, seen);
  MPI_Finalize();
  return seen == largest_of_all ? 0 : 1;
}
