// SPDX-License-Identifier: Apache-2.0
// The operations of imbrex::mpi that count.py measures: `instructions_mpi OPERATION TIMES` repeats one
// operation. A collective, and an access to a window, count once for each rank.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

int rank_number = 0;
int ranks = 0;

long send(long times) {
  if (rank_number > 1) return times;
  const int other = 1 - rank_number;
  double value = 0;
  long messages = 0;
  for (; messages < times; messages += 2) {
    if (rank_number == 0) MPI_Send(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank_number == 1) MPI_Send(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
  }
  return messages;
}

long exchange(long times) {
  if (rank_number > 1) return times;
  const int other = 1 - rank_number;
  const double value = rank_number;
  double got = -1;
  long exchanges = 0;
  for (; exchanges < times; exchanges += 2) {
    std::array<MPI_Request, 2> both{};
    MPI_Irecv(&got, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(&value, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
  }
  return got == other ? exchanges : 0;
}

long barrier(long times) {
  long passed = 0;
  for (; passed < times; passed += ranks) MPI_Barrier(MPI_COMM_WORLD);
  return passed;
}

long allreduce(long times) {
  const double value = rank_number;
  long reduced = 0;
  for (; reduced < times; reduced += ranks) {
    double sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != ranks * (ranks - 1) / 2.0) return 0;
  }
  return reduced;
}

long put(long times) {
  double place = -1;
  const double value = rank_number;
  const int next = (rank_number + 1) % ranks;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(&place, sizeof place, sizeof place, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  long puts = 0;
  for (; puts < times; puts += ranks) {
    MPI_Put(&value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, window);
    MPI_Win_flush(next, window);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  return place == (rank_number + ranks - 1) % ranks ? puts : 0;
}

struct operation {
  std::string_view name;
  long (*perform)(long);
};
constexpr std::array operations{operation{"send", send}, operation{"exchange", exchange},
                                operation{"barrier", barrier}, operation{"allreduce", allreduce},
                                operation{"put", put}};

int fail(const char* text) {
  std::fprintf(stderr, "instructions_mpi: error: %s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_number);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long times = argc == 3 ? std::atol(argv[2]) : 0;
  if (times < 1 || ranks < 2) return fail("usage: instructions_mpi OPERATION TIMES, by at least 2 ranks");
  for (const auto& o : operations) {
    if (o.name != argv[1]) continue;
    if (o.perform(times) < times) return fail("it was not done as often, or with other results");
    MPI_Finalize();
    return 0;
  }
  return fail("there is no such operation; bench/instructions/README.md says what there is");
}
