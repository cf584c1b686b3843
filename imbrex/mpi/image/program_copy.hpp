// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace imbrex::mpi {

class program_image;
struct copy_state;

/// Who runs a copy: does for its code what the C library cannot do for one of several.
class copy_host {
 public:
  /// The program ends itself, as by exit, once what it left to that has been done. It must not return: it
  /// leaves the stack of the copy for ever. Between `enter` and `leave`.
  virtual void end(int status) = 0;
  /// The same on a thread that the program has started, beside the copy's stack: it must not return.
  virtual void end_on_thread(int status) = 0;
  /// The program sleeps: waits for at least that long while others run; with 0 lets those run that can.
  /// False, and nothing has happened, where the code cannot wait. Between `enter` and `leave`, which it
  /// calls.
  virtual bool sleep_for(std::chrono::nanoseconds time) = 0;

 protected:
  ~copy_host() = default;
};

/// A copy of the program for one rank: its own global and thread_local variables, its own streams and state
/// of the C library. Its code runs on whatever stack and thread calls it, between `enter` and `leave`; on one
/// thread at a time. Threads that it has started, or that work for several copies, run beside that.
class program_copy {
 public:
  /// `host` outlives the copy. `prefix` stands before each line that the copy writes to its standard output.
  /// Throws error if the machine gives no more addresses or mappings. Any thread. Takes time with the
  /// program's relocations, and memory with its variables.
  program_copy(const program_image& image, copy_host& host, std::string prefix = {});
  /// What it has not written is lost, unless `flush` was called. Its threads run on until the process ends:
  /// if it has started some, its code and variables stay.
  ~program_copy();
  program_copy(const program_copy&) = delete;

  /// Runs the program's constructors, its main, and what it leaves to its end, as destructors and functions
  /// of atexit; returns main's result. The arguments are copied. Exceptions that leave main come through.
  /// Between `enter` and `leave`, at most once.
  int call_main(int argc, char** argv, char** environment);

  /// Ends the copy as its own call of exit would. Between `enter` and `leave`, on the copy's stack.
  [[noreturn]] void exit(int status);

  /// The copy's code is about to run on this thread, which runs none. Brings what the compiler and the C
  /// library keep by thread: thread_local variables, if the program has any, and the locale. Exceptions that
  /// are caught belong to the stack: who switches stacks brings them. True if signals have come for it:
  /// `take_signals` is to be called on its stack.
  bool enter() noexcept;
  /// Calls the program's handlers of signals that have come while it did not run. On its stack.
  void take_signals();
  /// It stops running here for now, and may be entered on another thread next.
  void leave() noexcept;
  /// The copy that is entered on this thread; null if there is none.
  static program_copy* running() noexcept;

  /// Writes what the copy has put into its standard output, its last line also if it has not ended. Between
  /// `enter` and `leave`, or once it has ended.
  void flush() noexcept;
  /// True if an address, as that of an instruction or a variable, lies in this copy.
  bool holds(const void* address) const noexcept;
  /// The same instruction or variable in the program that the system's loader has mapped; the address itself
  /// if it lies in no copy. Also in a handler of a signal.
  static void* loaded_code(void* address) noexcept;
  /// The copy's own instance of a variable that lies in the program, or in a library of which each copy has
  /// its own, as the system's loader has mapped it; the address itself if it lies elsewhere.
  void* own_variable(void* loaded) const noexcept;

 private:
  std::unique_ptr<copy_state> state_;
};

}  // namespace imbrex::mpi
