// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <imbrex/mpi/rank/boost_switch.hpp>

namespace imbrex {
class reader;
class writer;
}  // namespace imbrex

namespace imbrex::mpi {

class rank;
class rank_objects;
class rank_state;

/// Throws imbrex::error: a rank does not go to another process in this way.
[[noreturn]] void throw_immobile();

/// The part of a stack that is in use.
struct used_stack {
  const std::byte* begin;
  const std::byte* end;
};

/// Hooks around each stretch in which a rank's code runs on a PE.
class rank_code {
 public:
  virtual ~rank_code() = default;
  /// Runs the rank on its own stack; returns its exit status.
  virtual int run() = 0;
  /// True if `attend` is to be called on the rank's stack.
  virtual bool enter() { return false; }
  virtual void leave() {}
  /// Handles events for the rank's code that have arrived while it waited.
  virtual void attend() {}

  // Travel to another process:
  /// Addresses that are reserved for the rank's stack; null: it may lie anywhere.
  virtual std::byte* place_of_stack() { return nullptr; }
  /// Why the code cannot leave its process, in words; empty if it can.
  virtual std::string obstacle() const { return "its program runs without --migratable"; }
  /// Writes the code that has left its stack, or reads it. `leaves`: it does not go on here.
  virtual void write(writer& out, const used_stack& stack, bool leaves);
  virtual void read(reader& in);
};

/// The program that the ranks of a run execute.
struct program {
  int ranks = 1;
  int number = 0;                             ///< which of a job's programs, from 0 (MPI_APPNUM)
  std::size_t stack = std::size_t{8} << 20U;  ///< bytes of each rank's stack
  fiber::code_on_stack code = fiber::code_on_stack::no;
  /// Makes a rank's code. Called on the PE where the rank begins.
  std::function<std::unique_ptr<rank_code>(int rank)> make_code;
  /// Makes the state that a rank keeps for its functions of MPI.
  std::function<std::unique_ptr<rank_state>(rank&)> make_state;
  /// Ranks may go to other processes. `addresses` is a digest, which must be equal in all processes then.
  bool is_migratable = false;
  std::uint64_t addresses = 0;
  /// Whether a rank reports at MPI_Finalize the objects that it has not freed.
  bool tells_leaks = false;
  /// Largest sizes in bytes of data that travel with their packet, between PEs of a process and between
  /// processes.
  std::size_t eager_between_pes = 512;
  std::size_t eager_between_processes = 2048;

  /// The program of the current run.
  static const program& current();
  static bool is_current_migratable() { return current().is_migratable; }
  /// Numbers the programs of this process, in the order in which they became the current one.
  static std::uint64_t current_number();
};

/// State of a rank besides its sends and receives: communicators, datatypes and so on.
class rank_state {
 public:
  virtual ~rank_state() = default;
  virtual rank_objects& objects() = 0;
  /// Why it cannot leave its process, in words; empty if it can.
  virtual std::string obstacle() const { return "its state stays where it is"; }
  virtual void write(writer& out);
  virtual void read(reader& in);
};

/// Makes a program the current one of this process, for the lifetime of this object.
class program_selection {
 public:
  explicit program_selection(const program& what);
  ~program_selection();
  program_selection(const program_selection&) = delete;
  program_selection& operator=(const program_selection&) = delete;

 private:
  const program* before_;
};

/// Whether a program is current in this process, or was. Any thread. `child`: a child process of one that has
/// a current program.
enum class process_phase : std::uint8_t { before, running, after, child };
process_phase phase_of_process();
/// Notes that fork has just made this process.
void note_child_process();

/// Counts of the ranks of this process that have called MPI_Init and MPI_Finalize since the program became
/// current. Any thread: the program's other threads use them.
class rank_phases {
 public:
  static void note_initialised();
  static void note_finalised();
  /// A rank that has called MPI_Init has gone to another process.
  static void note_departure();
  /// True once at least one rank has called MPI_Init.
  static bool are_initialised();
  /// True once all ranks that have called MPI_Init have called MPI_Finalize.
  static bool are_finalised();
};

}  // namespace imbrex::mpi
