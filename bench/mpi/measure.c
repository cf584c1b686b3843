// SPDX-License-Identifier: Apache-2.0
// What OSU's micro-benchmarks measure, by any MPI. The last line is one JSON object; times are seconds.
//   measure BENCH BYTES ROUNDS
// latency: half of a round trip of ranks 0 and 1; bw: 64 messages and an answer, of ranks 0 and 1; mbw_mr: the
// same of each rank of the first half to one of the second; allreduce, alltoall (BYTES to each), barrier, bcast:
// one of all ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { window = 64 };

static int rank, ranks;
static char *out, *in;

static void latency(int bytes, int partner, int is_first) {
  if (is_first) {
    MPI_Send(out, bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, bytes, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
  }
}

static void bandwidth(int bytes, int partner, int is_first) {
  MPI_Request all[window];
  char answer = 0;
  if (is_first) {
    for (int i = 0; i < window; ++i)
      MPI_Isend(out, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, &all[i]);
    MPI_Waitall(window, all, MPI_STATUSES_IGNORE);
    MPI_Recv(&answer, 1, MPI_CHAR, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (int i = 0; i < window; ++i)
      MPI_Irecv(in, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, &all[i]);
    MPI_Waitall(window, all, MPI_STATUSES_IGNORE);
    MPI_Send(&answer, 1, MPI_CHAR, partner, 2, MPI_COMM_WORLD);
  }
}

static void round_of(const char* bench, int bytes) {
  const int half = ranks / 2;
  if (strcmp(bench, "latency") == 0) {
    if (rank < 2) latency(bytes, 1 - rank, rank == 0);
  } else if (strcmp(bench, "bw") == 0) {
    if (rank < 2) bandwidth(bytes, 1 - rank, rank == 0);
  } else if (strcmp(bench, "mbw_mr") == 0) {
    if (rank < 2 * half) bandwidth(bytes, rank < half ? rank + half : rank - half, rank < half);
  } else if (strcmp(bench, "allreduce") == 0) {
    MPI_Allreduce(out, in, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(bench, "alltoall") == 0) {
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
  } else if (strcmp(bench, "bcast") == 0) {
    MPI_Bcast(out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  } else if (strcmp(bench, "barrier") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    fprintf(stderr, "measure: error: there is no '%s'; choose latency, bw, mbw_mr, allreduce, alltoall, bcast "
                    "or barrier\n", bench);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long bytes = argc == 4 ? atol(argv[2]) : -1;
  const long rounds = argc == 4 ? atol(argv[3]) : 0;
  if (bytes < 0 || bytes > 1L << 30 || rounds < 1) {
    if (rank == 0) fprintf(stderr, "usage: measure BENCH BYTES ROUNDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t room = (size_t)(bytes > 0 ? bytes : 1) * (size_t)ranks;
  out = malloc(room);
  in = malloc(room);
  memset(out, 0, room);  // as doubles: zeros, whose sums cost as much as others
  memset(in, 0, room);
  for (long i = 0; i < rounds / 10 + 1; ++i) round_of(argv[1], (int)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long i = 0; i < rounds; ++i) round_of(argv[1], (int)bytes);
  double own = (MPI_Wtime() - begin) / (double)rounds, longest = 0;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    if (strcmp(argv[1], "latency") == 0) longest /= 2;
    printf("{\"bench\": \"%s\", \"bytes\": %ld, \"ranks\": %d, \"rounds\": %ld, \"seconds\": %.9g}\n", argv[1],
           bytes, ranks, rounds, longest);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
