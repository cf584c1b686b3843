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
  /// Takes the running rank, which has no `obstacle`, to PE `to` of another process. Returns there. The
  /// callers, up to the program, must have no objects of the process.
  static void begin(int to);
  /// True from `begin` on, in the process that the rank leaves.
  bool is_begun() const { return is_begun_; }
  /// Ends the code of the running rank, which may have begun in another process. Called on the rank's stack.
  [[noreturn]] static void end_code(int status, std::exception_ptr error);

  /// Writes the rank, or reads it in the other process.
  void archive(writer& out);
  void archive(reader& in);

 private:
  rank& rank_;
  bool is_begun_ = false;
};

}  // namespace imbrex::mpi
