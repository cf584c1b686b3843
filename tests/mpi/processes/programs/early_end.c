/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 ends before MPI_Finalize, as the first argument says; the others wait for it, or with a second one do so, too. */
#define _GNU_SOURCE
#include <mpi.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 || argc > 2) {
    if (strcmp(argv[1], "exit") == 0) exit(0);
    if (strcmp(argv[1], "exit 256") == 0) exit(256);
    if (strcmp(argv[1], "_exit") == 0) _exit(0);
    if (strcmp(argv[1], "quick_exit") == 0) quick_exit(0);
    if (strcmp(argv[1], "pthread_exit") == 0) pthread_exit(NULL);
    if (strcmp(argv[1], "daemon") == 0 && daemon(1, 1) == 0) return 9;
    if (strcmp(argv[1], "finalize") == 0) MPI_Finalize();
    return 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
