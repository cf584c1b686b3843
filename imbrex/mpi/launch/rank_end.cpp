// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/launch/rank_end.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include <imbrex/base/log.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/mpi/image/program_copy.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

int seen_status(int status) {
  constexpr unsigned kept = 0xff;
  return static_cast<int>(static_cast<unsigned>(status) & kept);
}

}  // namespace

int status_at_end(int status) {
  const int seen = seen_status(status);
  rank_data& data = rank_data::here();
  if (seen == 0 && data.now == rank_data::phase::running) data.self().note_early_end();
  if (seen != 0 && data.now == rank_data::phase::running) {
    extension::run_handle::here().fail("rank " + std::to_string(data.self().number()) +
                                           " has ended with the status " + std::to_string(seen) +
                                           " before it called MPI_Finalize",
                                       seen);
    data.self().stop();
  }
  return seen;
}

void end_rank(int status) {
  const int seen = status_at_end(status);
  rank::current()->end(seen);
}

void end_process_of(int rank, int status) {
  const int seen = seen_status(status);
  log(log_level::error,
      "rank " + std::to_string(rank) + " has ended with the status " + std::to_string(seen) +
          " on a thread that it has started, which ends all ranks of its process: call exit "
          "on the thread that main runs on");
  std::_Exit(seen != 0 ? seen : 1);
}

}  // namespace imbrex::mpi

/// Serves an uncopied program, and libraries that all ranks share.
extern "C" [[gnu::visibility("default")]] void exit(int status) noexcept {
  using namespace imbrex::mpi;
  if (program_copy* const copy = program_copy::running()) copy->exit(status);
  if (rank::current() != nullptr) end_rank(status);
  using function = void (*)(int);
  reinterpret_cast<function>(::dlsym(RTLD_NEXT, "exit"))(status);
  std::abort();  // not reached
}
