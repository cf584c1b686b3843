// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include <imbrex/base/host/signal_text.hpp>

namespace imbrex {

/// While one lives, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) is told of on the standard error
/// output: what ran, and where, with the names of functions if llvm-symbolizer or addr2line is there. Then
/// the process ends by that signal, as it would have. A signal for which the program, or a sanitizer, has a
/// handler of its own is left to that. A child process that was made by fork ends without words.
class crash_handler {
 public:
  /// Says what the thread that calls it runs, in a handler of a signal: it reads what is there, and calls
  /// nothing.
  using description = void (*)(signal_text& out) noexcept;

  /// All that live at once describe alike.
  explicit crash_handler(description what_runs);
  crash_handler(const crash_handler&) = delete;
  crash_handler& operator=(const crash_handler&) = delete;
  ~crash_handler();
};

/// What a program adds to what is told of a crash that runs code which no library of the system has loaded,
/// or has stacks of its own. Handlers of signals call its functions.
struct crash_details {
  /// The same code where the system's loader has it; the address itself if it is nowhere else.
  void* (*loaded_code)(void* address) noexcept;
  /// Says what is there, behind "at the address 0x5f"; nothing if there is nothing to say.
  void (*describe_address)(const void* address, signal_text& out) noexcept;
  /// Says what may be wrong with code on the stack, whose innermost function is the first; nothing if nothing
  /// is to be said.
  void (*describe_stack)(void* const* frames, int count, signal_text& out) noexcept;
};

/// For all crashes from now on; null for none. It must outlive the process.
void set_crash_details(const crash_details* details) noexcept;

/// A stack for handlers of signals on this thread, as long as it lives, so that an overflow of the thread's
/// own can be told of; none if the thread has one.
class crash_stack {
 public:
  crash_stack();
  crash_stack(const crash_stack&) = delete;
  crash_stack& operator=(const crash_stack&) = delete;
  ~crash_stack();

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace imbrex
