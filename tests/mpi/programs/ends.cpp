// SPDX-License-Identifier: Apache-2.0
// Ends in the way named by the first argument. In most ways all ranks but one then wait in a barrier.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

[[gnu::noinline]] void write_to(int* place) { *static_cast<volatile int*>(place) = 1; }

[[gnu::noinline]] int deep(int level) {
  volatile char room[4096];
  room[0] = static_cast<char>(level);
  return room[0] == 1 && level < 0 ? 0 : deep(level + 1) + room[0];
}

[[gnu::noinline]] void large_array() {
  char array[32 << 20];
  std::memset(array, 1, sizeof array);
  asm volatile("" : : "r"(array) : "memory");
}

[[gnu::noinline]] void end_badly(const std::string& how) {
  if (how == "early") std::exit(3);
  if (how == "at once") std::_Exit(4);
  if (how == "abort") MPI_Abort(MPI_COMM_WORLD, 9);
  if (how == "crash") write_to(reinterpret_cast<int*>(8));
  if (how == "overflow") std::printf("%d\n", deep(1));
  if (how == "array") large_array();
  if (how == "throw") throw std::runtime_error("a bad day");
  if (how == "stop") std::abort();
  if (how == "wrong") MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (how == "absent") {
    char port[MPI_MAX_PORT_NAME];
    MPI_Open_port(MPI_INFO_NULL, port);
  }
  if (how == "deadlock") {
    int never = 0;
    MPI_Recv(&never, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// Ends in the operation of a reduction, which ranks call inside the reduction while most of them wait for
/// it.
void end_in_operation(const std::string& how) {
  static const bool aborts = how == "abort in operation";
  MPI_Op op;
  MPI_Op_create(
      [](void*, void*, int*, MPI_Datatype*) { aborts ? (void)MPI_Abort(MPI_COMM_WORLD, 6) : std::exit(5); },
      1, &op);
  int value = 1, sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

struct last_words {
  ~last_words() { std::printf("destroyed\n"); }
} global;

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::cout << "rank " << rank << " has begun";  // some ranks never end this line
  if (how == "exit" || how == "return") {
    MPI_Finalize();
    if (how == "exit" && rank == 1) std::exit(7);
    return how == "return" ? rank : 0;
  }
  if (how == "no finalize" && rank == 1) return 0;
  if (how.find("in operation") != std::string::npos) end_in_operation(how);
  if (rank == 1) end_badly(how);
  if (how != "no finalize") MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
