// SPDX-License-Identifier: Apache-2.0
// Threads of the C++ library and of TBB, shared by all ranks of a process, write output like the rank.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <iostream>
#include <string>
#include <thread>
#include <vector>
#ifdef WITH_TBB
#include <tbb/parallel_for.h>
#endif

static int rank = -1;

static int work(int part) {
  std::srand(static_cast<unsigned>(part + 1));
  std::rand();
  char text[] = "x y";
  std::strtok(text, " ");
  std::printf("part %d of rank %d\n", part, rank);
  return part;
}

int main(int argc, char** argv) {
  int provided_level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided_level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && rank == 1) std::thread([argv] { std::exit(std::atoi(argv[1])); }).join();
  std::thread first(&work, 0);
  std::future<int> second = std::async(std::launch::async, &work, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  first.join();
  const int got = second.get();
#ifdef WITH_TBB
  tbb::parallel_for(2, 40, [](int i) { work(i); });
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::cout << "got " << got << std::endl;
  MPI_Finalize();
}
