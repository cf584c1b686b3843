// SPDX-License-Identifier: Apache-2.0
// Ranks wait without MPI calls for a file that the next rank makes, which must run meanwhile.
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

static int rank, ranks, wrong = 0;

static void wait_a_moment(int way) {
  const timespec moment{0, 1'000'000};
  timeval time{0, 1000};
  timespec until{};
  switch (way) {
    case 0: usleep(1000); break;
    case 1: nanosleep(&moment, nullptr); break;
    case 2: sched_yield(); break;
    case 3: std::this_thread::yield(); break;
    case 4: std::this_thread::sleep_for(std::chrono::milliseconds(1)); break;
    case 5: wrong += poll(nullptr, 0, 1) != 0; break;
    case 6: wrong += select(0, nullptr, nullptr, nullptr, &time) != 0; break;
    case 7: wrong += ppoll(nullptr, 0, &moment, nullptr) != 0; break;
    case 8: wrong += pselect(0, nullptr, nullptr, nullptr, &moment, nullptr) != 0; break;
    case 9:
      clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_sec += until.tv_nsec >= 999'000'000 ? 1 : 0;
      until.tv_nsec = (until.tv_nsec + 1'000'000) % 1'000'000'000;
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
      break;
    case 10: thrd_sleep(&moment, nullptr); break;
    case 11: thrd_yield(); break;
    default: wrong += poll(nullptr, 0, 0) != 0;
  }
}
constexpr int ways = 13;

static std::string name(const std::string& folder, int way, int of) {
  return folder + "/waits." + std::to_string(way) + "." + std::to_string(of);
}
static void make(const std::string& path) { close(open(path.c_str(), O_WRONLY | O_CREAT, 0600)); }

/// Arguments: a folder for files; "real" if time is real, else "machine".
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string folder = argv[1];
  for (int way = 0; way < ways; ++way) {
    if (rank + 1 < ranks)
      while (access(name(folder, way, rank + 1).c_str(), F_OK) != 0) wait_a_moment(way);
    make(name(folder, way, rank));
  }
  // A thread writes to a pipe while the rank waits to read.
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0) return 2;
  std::thread writer([&] {
    usleep(2000);
    wrong += write(ends[1], "x", 1) != 1;
  });
  pollfd file{ends[0], POLLIN, 0};
  wrong += poll(&file, 1, -1) != 1 || read(ends[0], &byte, 1) != 1 || byte != 'x';
  writer.join();
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  timeval time{0, 3000};
  wrong += select(ends[0] + 1, &set, nullptr, nullptr, &time) != 0 || FD_ISSET(ends[0], &set);
  wrong += write(ends[1], "y", 1) != 1;
  FD_SET(ends[0], &set);
  wrong += select(ends[0] + 1, &set, nullptr, nullptr, nullptr) != 1 || !FD_ISSET(ends[0], &set);
  if (argc > 2 && std::strcmp(argv[2], "real") == 0) {
    const auto start = std::chrono::steady_clock::now();
    usleep(20'000);
    wrong += std::chrono::steady_clock::now() - start < std::chrono::milliseconds(20);
  } else if (argc > 2) {  // simulated time
    const double start = MPI_Wtime();
    sleep(3600);
    wrong += MPI_Wtime() - start < 3600;
  }
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("wrong: %d\n", all);
  MPI_Finalize();
}
