// SPDX-License-Identifier: Apache-2.0
// The benches of two processes in MPI, as osu_latency, osu_bw and osu_mbw_mr do it: MPI_Send and MPI_Recv for
// one message at a time; receives posted before, and MPI_Isend, for a window.
//   mpirun -n 2 build/release/bin/processes_mpi --bench bandwidth
#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/topology.hpp>

#include "bench/processes/contents.hpp"
#include "bench/processes/course.hpp"
#include "bench/processes/report.hpp"
#include "bench/processes/rounds.hpp"

namespace {

using namespace bench;

const std::string usage = "mpirun -n 2 processes_mpi [OPTIONS]";

void send(std::span<const std::byte> bytes, int to) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}
void receive(std::span<std::byte> bytes, int from) {
  MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

/// One size of one bench; `leads` is executed by the leading process, `follows` by the other.
class exchange {
 public:
  exchange(const course& plan, std::size_t size)
      : plan_(plan),
        size_(size),
        out_(plan.buffers, size),
        in_(plan.buffers, size),
        answer_(1, answer_bytes),
        requests_(static_cast<std::size_t>(plan.window)) {
    out_.fill_all(contents::there);
  }

  void lead(report& results) {
    rounds r(plan_, size_);
    while (r.next()) {
      if (plan_.is_pingpong()) {
        send(ball(r).of(0), 1);
        receive(in_.of(0), 1);
        if (r.first() && !holds(in_.of(0), contents::back, size_)) throw_wrong_contents(size_);
      } else {
        for (int m = 0; m < plan_.window; ++m)
          MPI_Isend(out_.of(m).data(), static_cast<int>(size_), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                    &requests_[static_cast<std::size_t>(m)]);
        MPI_Waitall(plan_.window, requests_.data(), MPI_STATUSES_IGNORE);
        receive(answer_.of(0), 1);
        if (r.first() && !holds(answer_.of(0), contents::back, answer_bytes)) throw_wrong_contents(size_);
      }
    }
    results.add(r.result(size_));
  }

  void follow() {
    rounds r(plan_, size_);
    while (r.next()) {
      if (plan_.is_pingpong()) {
        receive(in_.of(0), 0);
        if (r.first()) fill(out_.of(0), verdict());
        send(ball(r).of(0), 0);
      } else {
        for (int m = 0; m < plan_.window; ++m)
          MPI_Irecv(in_.of(m).data(), static_cast<int>(size_), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                    &requests_[static_cast<std::size_t>(m)]);
        MPI_Waitall(plan_.window, requests_.data(), MPI_STATUSES_IGNORE);
        if (r.first()) fill(answer_.of(0), verdict());
        send(answer_.of(0), 0);
      }
    }
  }

 private:
  const buffers& ball(const rounds& r) const { return plan_.hands_on() && !r.first() ? in_ : out_; }
  /// The contents of the reply in the checked round.
  contents verdict() const {
    for (int m = 0; m < std::min(plan_.buffers, plan_.is_pingpong() ? 1 : plan_.window); ++m)
      if (!holds(in_.of(m), contents::there, size_)) return contents::wrong;
    return contents::back;
  }

  const course& plan_;
  std::size_t size_;
  buffers out_;
  buffers in_;
  buffers answer_;
  std::vector<MPI_Request> requests_;
};

void run(const course& plan, int rank) {
  imbrex::bind_this_thread(rank);
  const real_time undisturbed(plan.priority);
  report results("mpi", plan);
  for (const auto size : plan.sizes()) {
    exchange e(plan, size);
    MPI_Barrier(MPI_COMM_WORLD);
    rank == 0 ? e.lead(results) : e.follow();
  }
  if (rank == 0) results.print();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int status = 0;
  try {
    const course plan = parse_course(argc, argv, usage, false);
    check_two_processes(processes, usage);
    run(plan, rank);
  } catch (const imbrex::usage_error& e) {  // all processes get this error
    if (rank == 0) std::fprintf(stderr, "processes_mpi: error: %s\n", e.what());
    status = imbrex::usage_error::exit_status;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "processes_mpi: error: rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
