// SPDX-License-Identifier: Apache-2.0
// Ranks of MPI that call chares of the library chares.cpp.  usage: mpi_ranks_and_chares [wait | fail]
#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "chares.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && std::strcmp(argv[1], "wait") == 0) wait_for_ever();
  if (argc > 1 && std::strcmp(argv[1], "fail") == 0) fail_while_waiting();
  int wrong = 0;
  for (int round = 0; round < 3; ++round) {
    wrong += calls_of_own_arrays(rank) + waits_for_several() + exceptions_of_entries() + wait_in_an_entry();
    int sum = 0;  // messages of MPI between calls
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum == ranks * (ranks - 1) / 2 ? 0 : 1;
  }
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d ranks: %d wrong\n", ranks, all);
  MPI_Finalize();
  return 0;
}
