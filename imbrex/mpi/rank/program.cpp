// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/rank/program.hpp>

#include <atomic>

#include <imbrex/base/error.hpp>

namespace imbrex::mpi {

namespace {

std::atomic<const program*> current_program = nullptr;
std::atomic<std::uint64_t> programs = 0;  ///< programs that have become current
std::atomic<int> initialised = 0;         ///< counts ranks of the latest program
std::atomic<int> finalised = 0;
std::atomic<bool> is_child_process = false;

}  // namespace

void throw_immobile() {
  throw imbrex::error(
      "a rank of MPI leaves its process only by MPIX_Migrate, in a job that imbrex run --migratable has "
      "started");
}

void rank_code::write(writer& /*out*/, const used_stack& /*stack*/, bool /*leaves*/) { throw_immobile(); }
void rank_code::read(reader& /*in*/) { throw_immobile(); }
void rank_state::write(writer& /*out*/) { throw_immobile(); }
void rank_state::read(reader& /*in*/) { throw_immobile(); }

const program& program::current() { return *current_program.load(std::memory_order_acquire); }

std::uint64_t program::current_number() { return programs.load(std::memory_order_relaxed); }

program_selection::program_selection(const program& what) : before_(current_program.exchange(&what)) {
  initialised.store(0);
  finalised.store(0);
  programs.fetch_add(1, std::memory_order_relaxed);
}
program_selection::~program_selection() { current_program.store(before_); }

void note_child_process() { is_child_process.store(true); }

process_phase phase_of_process() {
  if (is_child_process.load()) return process_phase::child;
  if (current_program.load(std::memory_order_acquire) != nullptr) return process_phase::running;
  return program::current_number() == 0 ? process_phase::before : process_phase::after;
}

void rank_phases::note_initialised() { initialised.fetch_add(1); }
void rank_phases::note_departure() { initialised.fetch_sub(1); }
void rank_phases::note_finalised() { finalised.fetch_add(1); }
bool rank_phases::are_initialised() { return initialised.load() > 0; }
/// True in a child process, too: nothing is left to finalise there, though its parent is a rank.
bool rank_phases::are_finalised() {
  return is_child_process.load() || (initialised.load() > 0 && finalised.load() >= initialised.load());
}

}  // namespace imbrex::mpi
