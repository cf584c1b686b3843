// SPDX-License-Identifier: Apache-2.0
// Initialisation and finalisation of MPI, and queries about versions, time and the processor.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <unistd.h>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/mpi/api/collective.hpp>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/collective/spread.hpp>
#include <imbrex/mpi/leaks.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

namespace {

void begin(rank_data& data, const char* function, int level) {
  if (data.life.initialised != rank_data::phase::before)
    throw error(MPI_ERR_OTHER, std::string(function) + " was called a second time; call it once");
  data.life.initialised = rank_data::phase::running;
  data.now = rank_data::phase::running;
  rank_phases::note_initialised();
  data.life.thread_level = level < MPI_THREAD_FUNNELED ? level : MPI_THREAD_FUNNELED;
}

void tell_leaks(rank_data& data) {
  const std::string text = describe_leaks(data);
  if (text.empty()) return;
  log(log_level::warning, "rank " + std::to_string(data.self().number()) +
                              " has called MPI_Finalize, but has not freed or received: " + text);
}

/// Seconds of the machine's clock; of the system's clock on threads that the program has started itself.
double seconds_now() {
  const auto* const here = detail::scheduler::current();
  return std::chrono::duration<double>(here != nullptr ? here->now() : detail::real_clock().now()).count();
}

/// Time for machines without real time. Each call advances the clock, so that a program that waits for a time
/// ends. On the deterministic machine each rank has its own clock.
double seconds_of_looks(rank_data& data) {
  constexpr nanoseconds look{100};
  switch (extension::run_handle::here().settings().machine) {
    case machine_kind::threads: break;
    case machine_kind::simulated: extension::current_pe().charge(look); break;
    case machine_kind::deterministic: data.looked += look;
  }
  return std::chrono::duration<double>(data.looked).count();
}

/// The data of the running rank; null on threads of the program, and before and after main.
const rank_data* data_here() { return rank::current() != nullptr ? &rank_data::here() : nullptr; }

}  // namespace

IMBREX_MPI_DEFINE(int, Init, (int*, char***)) {
  return call("MPI_Init", [] { begin(rank_data::here(), "MPI_Init", MPI_THREAD_SINGLE); });
}
IMBREX_MPI_DEFINE(int, Init_thread, (int*, char***, int required, int* provided)) {
  return call("MPI_Init_thread", [&] {
    rank_data& data = rank_data::here();
    begin(data, "MPI_Init_thread", required);
    *provided = data.life.thread_level;
  });
}
IMBREX_MPI_DEFINE(int, Initialized, (int* flag)) {
  const rank_data* const data = data_here();
  const bool is_initialised =
      data != nullptr ? data->life.initialised != rank_data::phase::before : rank_phases::are_initialised();
  *flag = is_initialised ? 1 : 0;
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, Finalized, (int* flag)) {
  const rank_data* const data = data_here();
  const bool is_finalised =
      data != nullptr ? data->life.initialised == rank_data::phase::finalized : rank_phases::are_finalised();
  *flag = is_finalised ? 1 : 0;
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, Finalize, (void)) {
  return call_running("MPI_Finalize", [](rank_data& data) {
    if (data.life.initialised == rank_data::phase::before)
      throw error(MPI_ERR_OTHER,
                  "MPI_Finalize was called without MPI_Init; end a session by MPI_Session_finalize");
    // Delete functions may still call MPI (MPI 3.1, section 8.7.1).
    data.at(MPI_COMM_SELF)->attributes.clear(MPI_COMM_SELF);
    data.world().attributes.clear(MPI_COMM_WORLD);
    data.buffered.detach(data.self());
    run_collective(data, data.world(), purpose::end, &barrier);
    if (program::current().tells_leaks) tell_leaks(data);
    data.life.initialised = rank_data::phase::finalized;
    if (data.life.open_sessions == 0) data.now = rank_data::phase::finalized;
    rank_phases::note_finalised();
  });
}
IMBREX_MPI_DEFINE(int, Query_thread, (int* provided)) {
  return call_running("MPI_Query_thread", [&](rank_data& data) { *provided = data.life.thread_level; });
}
IMBREX_MPI_DEFINE(int, Is_thread_main, (int* flag)) {
  *flag = 0;
  if (data_here() == nullptr) return MPI_SUCCESS;
  return call_running("MPI_Is_thread_main", [&](rank_data&) { *flag = 1; });
}

IMBREX_MPI_DEFINE(int, Abort, (MPI_Comm comm, int errorcode)) {
  return call_on("MPI_Abort", comm, [&](rank_data& data, communicator& in) {
    constexpr int statuses = 256;
    const int status = errorcode % statuses == 0 ? 1 : std::abs(errorcode % statuses);
    extension::run_handle::here().fail("rank " + std::to_string(data.self().number()) +
                                           " called MPI_Abort on " + describe_communicator(&in) +
                                           " with the error code " + std::to_string(errorcode),
                                       status);
    data.self().stop();
  });
}

IMBREX_MPI_DEFINE(double, Wtime, (void)) {
  return seconds_now() + (rank::current() != nullptr ? seconds_of_looks(rank_data::here()) : 0);
}
IMBREX_MPI_DEFINE(double, Wtick, (void)) { return 1e-9; }

IMBREX_MPI_DEFINE(int, Get_version, (int* version, int* subversion)) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, Get_library_version, (char* version, int* resultlen)) {
  constexpr std::string_view text = "Imbrex " IMBREX_VERSION ", MPI 3.1 by ranks on stacks of their own";
  std::memcpy(version, text.data(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}
IMBREX_MPI_DEFINE(int, Get_processor_name, (char* name, int* resultlen)) {
  return call_running("MPI_Get_processor_name", [&](rank_data&) {
    if (::gethostname(name, MPI_MAX_PROCESSOR_NAME - 1) != 0) std::strcpy(name, "unknown");
    name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
    *resultlen = static_cast<int>(std::strlen(name));
  });
}

/// Does nothing: there is no profiler to control.
IMBREX_MPI_DEFINE(int, Pcontrol, (const int /*level*/, ...)) { return MPI_SUCCESS; }

}  // namespace imbrex::mpi
