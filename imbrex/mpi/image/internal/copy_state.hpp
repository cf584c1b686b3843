// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ext/stdio_sync_filebuf.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/mpi/image/internal/copy_departure.hpp>
#include <imbrex/mpi/image/internal/copy_heap.hpp>
#include <imbrex/mpi/image/internal/copy_memory.hpp>
#include <imbrex/mpi/image/internal/copy_plan.hpp>
#include <imbrex/mpi/image/internal/copy_signals.hpp>
#include <imbrex/mpi/image/internal/copy_timers.hpp>
#include <imbrex/mpi/image/internal/debugger.hpp>
#include <imbrex/mpi/image/internal/exit_functions.hpp>
#include <imbrex/mpi/image/internal/library_state.hpp>
#include <imbrex/mpi/image/internal/line_output.hpp>

namespace imbrex::mpi {

class copy_host;
class program_copy;

/// Complete state of a copy.
struct copy_state {
  copy_state(std::shared_ptr<const copy_plan> source_plan, program_copy& owner, copy_host& host,
             std::string prefix, std::optional<std::size_t> number);
  ~copy_state();

  int call_main(int argc, char** argv, char** environment);
  void flush() noexcept;
  bool holds(const void* address) const noexcept;
  /// Address of the same object in the program, or in a library, as the system's loader has mapped it.
  void* original_of(void* address) const noexcept;

  /// Maps the modules and sets all words.
  void map();
  /// Modules of the copy for debuggers.
  std::vector<debugger_entry::module> modules() const;
  /// Connects the streams of C and C++ to the copy's own output.
  void connect_output();
  void construct(int argc, char** argv, char** environment);
  /// Detaches the copy from signals and flushes its output.
  void finish() noexcept;
  /// Runs the program's exit functions, then its destructors. At most once.
  void destruct(int status);
  /// Ends the program by its own call: `destruct`, then the end function.
  [[noreturn]] void exit(int status);
  [[noreturn]] void end_at_once(int status);
  /// Like `end_at_once`, on a thread that the program has started.
  [[noreturn]] void end_on_thread(int status);
  /// Flushes and ends the process if it is a child process of the copy; else returns.
  static void end_child(int status);

  /// Rebases pointers to the copy's thread_local variables from thread pointer `from` to `to`: pointers in
  /// these variables, and arguments of their destructors.
  void move_thread_variables(const std::byte* from, std::byte* to) noexcept;

  bool enter() noexcept;
  void leave() noexcept;
  /// True between `enter` and `leave`, on the thread that has entered.
  bool runs_here() const noexcept;
  /// Initialises a thread that the copy has started.
  void begin_thread() noexcept;

  /// Swaps the copy's thread_local variables with the thread's.
  void exchange_thread_blocks() noexcept;

  std::byte* at(std::uint64_t place) const noexcept { return slot + place; }
  /// The program's current stdout.
  std::FILE* standard_output() const noexcept {
    std::FILE** const own = variable<std::FILE*>(library_variable::standard_output);
    return own == nullptr ? output.stream() : *own;
  }
  /// The copy's instance of a library's variable; null if it has none.
  template <class T>
  T* variable(library_variable which) const noexcept {
    const auto& place = plan.variables[static_cast<std::size_t>(which)];
    return place ? reinterpret_cast<T*>(at(*place)) : nullptr;
  }

  const std::shared_ptr<const copy_plan> kept_plan;
  const copy_plan& plan;
  program_copy& copy;
  std::atomic<copy_host*> host;  // null once the copy has ended and only its threads run on

  const copy_memory memory;
  std::byte* const slot;
  std::atomic<bool> has_threads = false;  // started threads may run until the process ends

  exit_functions at_exit;
  exit_functions at_quick_exit;
  exit_functions at_thread_exit;  // destructors of thread_local variables
  bool is_destructed = false;
  std::atomic<bool> has_ended = false;

  std::vector<std::vector<std::byte>> thread_blocks;  // the PE's values while the copy runs, else the copy's
  std::byte* last_thread = nullptr;                   // pointer of the thread that ran the copy last

  object_of_copy<library_state> library;
  copy_signals signals{*this};
  copy_timers timers{*this};
  line_output output;
  object_of_copy<__gnu_cxx::stdio_sync_filebuf<char>> output_buffer;  // buffer of std::cout

  std::optional<debugger_entry> shown;

  copy_departure departure;

  /// The words of the command line. Those in the copy's heap, if it has one, are copies.
  struct argument_list {
    std::vector<std::string> texts;
    std::vector<char*> pointers;
  };
  argument_list arguments;
};

/// State of the copy that runs on this thread; null if there is none.
copy_state* running_state() noexcept;
/// The copy whose code has called a function through a gate. Any thread.
copy_state& calling_copy() noexcept;
/// The copy that this thread serves: it runs here or has started the thread. Null if there is none.
copy_state* copy_of_thread() noexcept;

}  // namespace imbrex::mpi
