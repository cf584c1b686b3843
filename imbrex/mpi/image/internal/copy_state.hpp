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

/// All that belongs to a copy.
struct copy_state {
  copy_state(std::shared_ptr<const copy_plan> made_by, program_copy& owner, copy_host& host,
             std::string prefix);
  ~copy_state();

  int call_main(int argc, char** argv, char** environment);
  void flush() noexcept;
  bool holds(const void* address) const noexcept;
  /// What is there in the program, or one of the libraries, as the system's loader has mapped it.
  void* original_of(void* address) const noexcept;

  /// Maps the modules and gives all words their values.
  void map();
  /// What debuggers are told of it.
  std::vector<debugger_entry::module> modules() const;
  /// Puts the copy's own output behind the streams of C and C++.
  void connect_output();
  void construct(int argc, char** argv, char** environment);
  /// No signal is the copy's from now on, and what it has written is there.
  void finish() noexcept;
  /// Calls what the program has left to its end, then its destructors. At most once.
  void destruct(int status);
  /// The program ends itself: `destruct`, then the end function.
  [[noreturn]] void exit(int status);
  [[noreturn]] void end_at_once(int status);
  /// The same on a thread that the program has started.
  [[noreturn]] void end_on_thread(int status);
  /// In a child process of the copy, its end.
  static void end_child(int status);

  /// The thread_local variables come to this thread from another one: what points to one of them goes along,
  /// if it is one of them itself.
  void move_thread_variables(const std::byte* from, std::byte* to) noexcept;

  bool enter() noexcept;
  void leave() noexcept;
  /// True between both, on the thread that has entered it.
  bool runs_here() const noexcept;
  /// A thread begins that the copy has started.
  void begin_thread() noexcept;

  /// Those of the copy come to this thread, or go from it.
  void exchange_thread_blocks() noexcept;

  std::byte* at(std::uint64_t place) const noexcept { return slot + place; }
  /// What the program knows as stdout.
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
  std::atomic<copy_host*> host;  // null once the copy is no more, while its threads run on
  std::byte* slot = nullptr;
  std::atomic<bool> has_threads = false;  // which may run for as long as the process does

  exit_functions at_exit;
  exit_functions at_quick_exit;
  exit_functions at_thread_exit;  // destructors of thread_local variables
  bool is_destructed = false;
  std::atomic<bool> has_ended = false;

  std::vector<std::vector<std::byte>> thread_blocks;  // while it runs, those of its PE
  std::byte* last_thread = nullptr;                   // the pointer of the thread on which it has run

  library_state library;
  copy_signals signals{*this};
  copy_timers timers{*this};
  line_output output;
  __gnu_cxx::stdio_sync_filebuf<char> output_buffer;  // of std::cout
  bool is_synchronised = true;                        // what std::ios_base::sync_with_stdio says

  std::optional<debugger_entry> shown;

  std::vector<std::string> argument_texts;
  std::vector<char*> arguments;
};

/// The state of the copy that runs on this thread; null if there is none.
copy_state* running_state() noexcept;
/// The copy whose code has called a function through a gate, on whatever thread.
copy_state& calling_copy() noexcept;
/// The copy that this thread works for: that runs on it, or has started it. Null if there is none.
copy_state* copy_of_thread() noexcept;

}  // namespace imbrex::mpi
