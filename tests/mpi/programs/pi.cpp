// SPDX-License-Identifier: Apache-2.0
// Computes pi by the midpoint rule, and gathers a vector of each rank on all ranks.
#include <mpi.h>

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace {

struct world {
  world(int& argc, char**& argv) { MPI_Init(&argc, &argv); }
  ~world() { MPI_Finalize(); }
  int rank() const { return number(MPI_Comm_rank); }
  int size() const { return number(MPI_Comm_size); }

 private:
  static int number(int (*ask)(MPI_Comm, int*)) {
    int value = -1;
    ask(MPI_COMM_WORLD, &value);
    return value;
  }
};

std::vector<std::string> lines;  // a global with constructor and destructor

}  // namespace

int main(int argc, char** argv) {
  const world all(argc, argv);
  const int intervals = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const double width = 1.0 / intervals;
  double own = 0;
  for (int i = all.rank(); i < intervals; i += all.size()) {
    const double x = width * (i + 0.5);
    own += 4 / (1 + x * x) * width;
  }
  double pi = 0;
  MPI_Allreduce(&own, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::vector<int> ranks(static_cast<std::size_t>(all.size()));
  const int me = all.rank();
  MPI_Allgather(&me, 1, MPI_INT, ranks.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < all.size(); ++i)
    if (ranks[static_cast<std::size_t>(i)] != i) MPI_Abort(MPI_COMM_WORLD, 3);
  lines.push_back("rank " + std::to_string(me));
  if (lines.size() != 1) MPI_Abort(MPI_COMM_WORLD, 5);
  if (me == 0)
    std::cout << std::setprecision(9) << "pi " << pi << " by " << all.size() << " ranks" << std::endl;
}
