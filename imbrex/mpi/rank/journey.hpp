// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace imbrex {
class reader;
class writer;
}  // namespace imbrex

namespace imbrex::mpi {

class rank;

/// The way of a rank to another process, and to a run that begins from a checkpoint. Its entry ends in the
/// one process, the chare migrates, and another call of the entry continues the stack in the other process.
/// The program's memory keeps its addresses. Objects of the runtime do not: they are written as values.
class journey {
 public:
  explicit journey(rank& of) : rank_(of) {}

  /// Why the rank cannot leave its process, in words; empty if it can.
  std::string obstacle() const;
  /// Asks the running rank to go to PE `to`. If that is in another process, the rank must have no `obstacle`.
  void ask(int to) { goal_ = to; }
  /// Asks the running rank to stand at the end of the function of MPI that it has called, for a stop of all
  /// elements. False if it runs a function that MPI has called.
  bool ask_to_stand();
  /// Lets the running rank stand at the end of the function of MPI that it has called, until
  /// `end_checkpoint`. A run that begins from the checkpoint continues it at once.
  void await_checkpoint() {
    awaits_checkpoint_ = true;
    state_ = state::about_to_stand;
  }
  /// The awaited checkpoint is whole, or could not be made for this reason.
  void end_checkpoint(const std::string& problem) {
    awaits_checkpoint_ = false;
    if (state_ == state::about_to_stand) state_ = state::staying;
    problem_ = problem;
  }
  /// Why the last awaited checkpoint could not be made; empty if it is whole.
  std::string take_problem() { return std::exchange(problem_, {}); }
  /// Lets the running rank do what it was asked to, and returns then, perhaps in another process or run.
  /// Called by a function of MPI at its end, when it has no objects of this process; returns its argument, a
  /// result.
  static int follow(int code) {
    if (has_request()) [[unlikely]]
      obey();
    return code;
  }
  /// True once the rank goes, in the process that it leaves.
  bool is_begun() const { return state_ == state::leaving; }
  /// Ends the code of the running rank, which may have begun in another process. Called on the rank's stack.
  [[noreturn]] static void end_code(int status, std::exception_ptr error);

  /// Writes a rank that leaves or stands, or reads it in the other process or run.
  void archive(writer& out);
  void archive(reader& in);

 private:
  enum class state : std::uint8_t { staying, about_to_stand, standing, leaving };

  static bool has_request();
  static void obey();
  static void stand();
  static bool must_stand();
  static void go();
  static void leave(int to);

  rank& rank_;
  int goal_ = -1;  ///< a PE; -1: none
  state state_ = state::staying;
  bool awaits_checkpoint_ = false;
  std::string problem_;  ///< why the last awaited checkpoint could not be made
};

}  // namespace imbrex::mpi
