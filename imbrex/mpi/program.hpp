// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <imbrex/mpi/fiber.hpp>

namespace imbrex::mpi {

class rank;
class rank_objects;
class rank_state;

/// What a program's ranks do around each stretch in which their code runs on a PE.
class rank_code {
 public:
  virtual ~rank_code() = default;
  /// Runs the rank on its own stack; returns its exit status.
  virtual int run() = 0;
  /// True if `attend` is to be called on the rank's stack.
  virtual bool enter() { return false; }
  virtual void leave() {}
  /// Does what has come for the rank's code while it waited.
  virtual void attend() {}
};

/// A program whose ranks a run has.
struct program {
  int ranks = 1;
  std::size_t stack = std::size_t{8} << 20U;  ///< bytes of each rank's stack
  fiber::code_on_stack code = fiber::code_on_stack::no;
  /// The code of a rank; on the PE where it begins.
  std::function<std::unique_ptr<rank_code>(int rank)> make_code;
  /// What a rank keeps for its functions of MPI.
  std::function<std::unique_ptr<rank_state>(rank&)> make_state;
  /// Whether a rank says at MPI_Finalize what it has not freed.
  bool tells_leaks = false;
  /// Data of at most so many bytes travel with their packet, between PEs of a process and between processes.
  std::size_t eager_between_pes = 512;
  std::size_t eager_between_processes = 2048;

  /// The program of the run that goes on.
  static const program& current();
  /// Numbers the programs of this process, in the order in which they became the current one.
  static std::uint64_t current_number();
};

/// What a rank keeps beside what it sends and receives: its communicators, datatypes and so on.
class rank_state {
 public:
  virtual ~rank_state() = default;
  virtual rank_objects& objects() = 0;
};

/// Makes a program the current one of this process as long as it lives.
class program_selection {
 public:
  explicit program_selection(const program& what);
  ~program_selection();
  program_selection(const program_selection&) = delete;
  program_selection& operator=(const program_selection&) = delete;

 private:
  const program* before_;
};

/// Whether a program is the current one of this process, and whether there was one before. Any thread.
/// `child`: this is a child process of one in which a program is.
enum class process_phase : std::uint8_t { before, running, after, child };
process_phase phase_of_process();
/// This process has just been made by fork.
void note_child_process();

/// How many ranks of this process have called MPI_Init, and MPI_Finalize, since the program became the
/// current one. Any thread: the program's other threads are told by these.
class rank_phases {
 public:
  static void note_initialised();
  static void note_finalised();
  /// Of at least one rank.
  static bool are_initialised();
  /// Of all ranks that have begun.
  static bool are_finalised();
};

}  // namespace imbrex::mpi
