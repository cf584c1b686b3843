// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace imbrex {
class reader;
class writer;
}  // namespace imbrex

namespace imbrex::mpi {

class rank;

/// The way of a rank to another process. Its entry ends in the one process, the chare migrates, and another
/// call of the entry continues the stack in the other process. The program's memory keeps its addresses.
/// Objects of the runtime do not: they are written as values.
class journey {
 public:
  explicit journey(rank& of) : rank_(of) {}

  /// Why the rank cannot leave its process, in words; empty if it can.
  std::string obstacle() const;
  /// Asks the running rank, which has no `obstacle`, to go to PE `to` of another process.
  void ask(int to) { goal_ = to; }
  /// Takes the running rank to another process if it was asked to go there, and returns there. Called by a
  /// function of MPI at its end, when it has no objects of this process; returns its argument, a result.
  static int follow(int code) {
    if (has_goal()) [[unlikely]]
      begin();
    return code;
  }
  /// True once the rank goes, in the process that it leaves.
  bool is_begun() const { return is_begun_; }
  /// Ends the code of the running rank, which may have begun in another process. Called on the rank's stack.
  [[noreturn]] static void end_code(int status, std::exception_ptr error);

  /// Writes the rank, or reads it in the other process.
  void archive(writer& out);
  void archive(reader& in);

 private:
  static bool has_goal();
  static void begin();

  rank& rank_;
  int goal_ = -1;  ///< a PE of another process; -1: none
  bool is_begun_ = false;
};

}  // namespace imbrex::mpi
