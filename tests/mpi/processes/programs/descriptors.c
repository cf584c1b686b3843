/* SPDX-License-Identifier: Apache-2.0 */
/* A rank closes all descriptors, as daemons do. Those of the runtime stay, and its own are closed. */
#define _GNU_SOURCE
#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int failures;

static void expect(int right, const char* what) {
  if (right) return;
  printf("%s is wrong\n", what);
  ++failures;
}

static int is_open(int descriptor) { return fcntl(descriptor, F_GETFD) != -1; }

static void close_own(void) {
  int own[7], copy;
  own[0] = open("/dev/null", O_RDONLY);
  expect(pipe(own + 1) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, own + 3) == 0, "opening");
  own[5] = dup(own[0]);
  own[6] = socket(AF_INET, SOCK_STREAM, 0);
  copy = dup2(own[0], own[6]);
  expect(copy == own[6], "dup2");
  for (int i = 0; i < 7; ++i) expect(close(own[i]) == 0 && !is_open(own[i]), "close");
  expect(close(own[0]) == -1 && errno == EBADF, "close of what is closed");
}

static void close_all(int how) {
  const int own = open("/dev/null", O_RDONLY);
  if (how == 0)
    for (int descriptor = 3; descriptor < 1000; ++descriptor) close(descriptor);
  if (how == 1) closefrom(3);
  if (how == 2) expect(close_range(3, UINT_MAX, 0) == 0, "close_range");
  if (how == 3)
    for (int descriptor = 3; descriptor < 100; ++descriptor)
      if (dup2(own, descriptor) == -1) expect(errno == EBADF, "the error of dup2");
  if (how < 3) expect(!is_open(own), "what is closed with all");
}

int main(int argc, char** argv) {
  int rank, size, one = 1, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int how = 0; how < 4; ++how) {
    if (rank == 1) close_own();
    if (rank == 1) close_all(how);
    for (int k = 0; k < 20; ++k) {
      MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      if (all != size) ++failures;
    }
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) puts("right");
  MPI_Finalize();
  return 0;
}
