// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imbrex/mpi/image/copy_travel.hpp>

namespace imbrex::mpi {

class program_image;
struct copy_state;

/// The owner of a copy; implements what the C library cannot do for one of several copies.
class copy_host {
 public:
  /// The program ends itself, as by exit, after its exit functions. Must not return: leaves the copy's stack
  /// for ever. Called between `enter` and `leave`.
  virtual void end(int status) = 0;
  /// Like `end`, on a thread that the program has started. Must not return.
  virtual void end_on_thread(int status) = 0;
  /// The program sleeps: suspends it for at least `time` while others run; 0 yields. False, and nothing has
  /// happened, if the code cannot wait. Called between `enter` and `leave`; calls both itself.
  virtual bool sleep_for(std::chrono::nanoseconds time) = 0;

 protected:
  ~copy_host() = default;
};

/// A copy of the program for one rank, with its own global and thread_local variables, streams and C library
/// state. Its code runs between `enter` and `leave`, on any stack and on one thread at a time. Threads that
/// it has started, or that serve several copies, run beside it.
class program_copy {
 public:
  /// `host` outlives the copy. `prefix` is written before each line of the copy's standard output. `number`:
  /// its place, if the image has fixed places; the copy then has a heap and a stack there. Throws error if
  /// the system provides no more addresses or mappings. Any thread. Time is linear in the program's
  /// relocations, memory in its variables.
  program_copy(const program_image& image, copy_host& host, std::string prefix = {},
               std::optional<std::size_t> number = std::nullopt);
  /// Discards unwritten output unless `flush` was called. Started threads run on until the process ends;
  /// their code and variables then stay. So does a heap of a copy that has not left.
  ~program_copy();
  program_copy(const program_copy&) = delete;

  /// Runs the program's constructors, main, and its exit functions and destructors; returns main's result.
  /// Copies the arguments. Exceptions of main propagate. Called between `enter` and `leave`, at most once.
  int call_main(int argc, char** argv, char** environment);

  /// Ends the copy like its own call of exit. Between `enter` and `leave`, on the copy's stack.
  [[noreturn]] void exit(int status);

  /// Prepares this thread, which runs no copy, for the copy's code: installs its thread_local variables, if
  /// any, and its locale. Caught exceptions belong to the stack; code that switches stacks moves them. True
  /// if signals are pending: then call `take_signals` on the copy's stack.
  bool enter() noexcept;
  /// Calls the program's handlers of signals that arrived while it did not run. Called on the copy's stack.
  void take_signals();
  /// Suspends the copy, which may be entered on another thread next.
  void leave() noexcept;
  /// The copy entered on this thread; null if there is none.
  static program_copy* running() noexcept;

  /// The addresses reserved for the copy's stack; null unless the image has fixed places.
  std::byte* stack() const noexcept;

  // Travel to another process, of a copy with a heap that does not run:
  /// Why the copy cannot leave its process, in words; empty if it can. Its code may run, in main.
  std::string obstacle() const;
  /// Pages that have been written, with those of its stack from the address `stack` to `top`.
  std::vector<written_pages> written(const std::byte* stack, const std::byte* top) const;
  /// All else that belongs to the copy. `leaves`: the copy does not go on in this process.
  packed_copy pack(bool leaves);
  /// Makes this new copy the one that was packed: call `take_over`, then `fill` with each run of pages, then
  /// `end_arrival`. Throws error if the bytes or addresses cannot be those of a copy.
  void take_over(std::span<const std::byte> packed);
  void fill(const written_pages& run, const std::byte* bytes);
  void end_arrival();

  /// Writes the copy's standard output, also an incomplete last line. Between `enter` and `leave`, or after
  /// the copy's end.
  void flush() noexcept;
  /// True if an address, for example of an instruction or a variable, lies in this copy.
  bool holds(const void* address) const noexcept;
  /// Address of the corresponding instruction or variable in the loaded program; the address itself if it
  /// lies in no copy. Signal handlers may call it.
  static void* loaded_code(void* address) noexcept;
  /// Address of the copy's instance of a loaded variable. The variable is the program's, or one of a library
  /// that each copy has for itself. Returns the address itself if it lies elsewhere.
  void* own_variable(void* loaded) const noexcept;

 private:
  std::unique_ptr<copy_state> state_;
};

}  // namespace imbrex::mpi
