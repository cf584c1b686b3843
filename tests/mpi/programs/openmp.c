// SPDX-License-Identifier: Apache-2.0
// Each rank has its threads of OpenMP, and what it sets for them, also where it waits inside a region.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static int of_thread = 7;
#pragma omp threadprivate(of_thread)
static int of_rank;
static _Thread_local int* rank_seen = &of_rank;

int main(int argc, char** argv) {
  int provided_level, rank, ranks, wrong = 0, all;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided_level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  of_rank = rank;
#pragma omp parallel num_threads(2)
  printf("thread %d of rank %d\n", omp_get_thread_num(), rank);

  const int threads = rank % 3 + 1;
  omp_set_num_threads(threads);
  omp_set_schedule(rank % 2 == 0 ? omp_sched_static : omp_sched_dynamic, rank + 1);
  omp_set_dynamic(0);
  omp_set_max_active_levels(rank % 2 + 1);
  int pe, first, pes;
  MPIX_Get_pe(&pe, &first, &pes);
  for (int k = 0; k < 5; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPIX_Migrate(first + (rank + k) % pes);
    omp_sched_t kind;
    int chunk, team = 0;
    omp_get_schedule(&kind, &chunk);
#pragma omp parallel reduction(+ : team)
    team += 1;
    wrong += team != threads || omp_get_max_threads() != threads || omp_get_max_active_levels() != rank % 2 + 1;
    wrong += kind != (rank % 2 == 0 ? omp_sched_static : omp_sched_dynamic) || chunk != rank + 1;
  }
  // The thread of main waits inside a region, in which others are.
#pragma omp parallel num_threads(2) reduction(+ : wrong)
  {
    of_thread = 100 * rank + omp_get_thread_num();
    for (int k = 0; k < 3; ++k) {
#pragma omp master
      {
        int from = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 3, &from, 1, MPI_INT, (rank + ranks - 1) % ranks, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += from != (rank + ranks - 1) % ranks;
      }
#pragma omp barrier
      wrong += omp_get_num_threads() != 2 || of_thread != 100 * rank + omp_get_thread_num();
      wrong += rank_seen != &of_rank || *rank_seen != rank;
    }
  }
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong: %d\n", all);
  MPI_Finalize();
  return 0;
}
