// SPDX-License-Identifier: Apache-2.0
// All ranks ask for checkpoints. A rank kills its process in a step if there is a file "die", which it removes. At the
// end the ranks go on with collectives while there is a file "hold".
// usage: saves STEPS EVERY DIR [WHAT]. WHAT of rank 1: "stream", "other" folder, "none" of the calls.
// If DIR is "hint:VALUE", the ranks call AMPI_Migrate with this value of "ampi_checkpoint".
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

/// Prints the error of a call once, for rank 0; false if it is one.
static int is_right(int code, int step) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (code == MPI_SUCCESS) return 1;
  MPI_Error_string(code, text, &length);
  if (rank == 0) printf("step %d: %s\n", step, text);
  return 0;
}

static int save(const char* folder, MPI_Info hints) {
  return hints == MPI_INFO_NULL ? MPIX_Checkpoint(folder) : AMPI_Migrate(hints);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int steps = atoi(argv[1]), every = atoi(argv[2]);
  const char* const folder = strcmp(argv[3], "null") == 0 ? NULL : argv[3];
  const char* const what = argc > 4 && rank == 1 ? argv[4] : "";
  MPI_Info hints = MPI_INFO_NULL;
  if (strncmp(argv[3], "hint:", 5) == 0) {
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "ampi_checkpoint", argv[3] + 5);
  }
  FILE* const stream = strcmp(what, "stream") == 0 ? fopen(argv[0], "r") : NULL;
  int calls = 0;
  double value = rank + 1;
  for (int step = 1; step <= steps; ++step) {
    double left = 0;
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % ranks, step, &left, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, step,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value = 0.75 * value + 0.25 * left + 1e-3 * step;
    if (step % every == 0) {
      // A message that is on its way while the ranks are saved.
      MPI_Send(&step, 1, MPI_INT, (rank + 1) % ranks, 9, MPI_COMM_WORLD);
      if (strcmp(what, "none") != 0)
        calls += is_right(save(strcmp(what, "other") == 0 ? "other" : folder, hints), step);
      int got = 0;
      MPI_Recv(&got, 1, MPI_INT, (rank + ranks - 1) % ranks, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (got != step) printf("rank %d, step %d: a message of step %d\n", rank, step, got);
    }
    if (step == every + every / 2 && rank == ranks - 1 && access("die", F_OK) == 0) {
      unlink("die");
      kill(getpid(), SIGKILL);
    }
  }
  for (int holds = 1; holds;) {
    const int sees_it = access("hold", F_OK) == 0;
    MPI_Allreduce(&sees_it, &holds, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  double sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d checkpoints, sum %.17g\n", calls, sum);
  if (stream != NULL) fclose(stream);
  if (hints != MPI_INFO_NULL) MPI_Info_free(&hints);
  MPI_Finalize();
  return 0;
}
